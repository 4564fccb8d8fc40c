// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax::linalg: every mixture of layout, transposition and factor is gemm's or gemv's problem, bit by bit.
#include <abax/linalg.hpp>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "inputs.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;
namespace linalg = abax::linalg;

namespace {

template <class T>
using left = Kokkos::mdspan<T, Kokkos::dextents<int, 2>, Kokkos::layout_left>;
template <class T>
using right = Kokkos::mdspan<T, Kokkos::dextents<int, 2>, Kokkos::layout_right>;
template <class T>
using strided = Kokkos::mdspan<T, Kokkos::extents<int, Kokkos::dynamic_extent, 6>, Kokkos::layout_stride>;
template <class T>
using vector_span = Kokkos::mdspan<T, Kokkos::dextents<std::size_t, 1>>;

/// Numbers in memory of the space, and how an mdspan reads them.
template <class T, class Exec>
struct arena {
  Kokkos::View<T*, typename Exec::memory_space> memory;
  explicit arena(std::uint64_t seed) : memory("arena", 400) {
    const matrix<T> numbers = random_matrix<T>(400, 1, numbers::unit, seed);
    Kokkos::deep_copy(memory, Kokkos::View<const T*, Kokkos::HostSpace>(numbers.elements.data(), 400));
  }
  std::vector<T> elements() const {
    std::vector<T> result(400);
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(result.data(), 400), memory);
    return result;
  }
};

/// The logical matrix that an mdspan over an arena's memory reads, without its factor.
template <class T, class X, class Arena>
matrix<T> read(const X& x, const Arena& arena) {
  const std::vector<T> elements = arena.elements();
  matrix<T> result(x.extent(0), x.extent(1));
  for (int j = 0; j < int(x.extent(1)); ++j)
    for (int i = 0; i < int(x.extent(0)); ++i) result(i, j) = elements[x.mapping()(i, j)];
  return result;
}
template <class T>
std::string compare(const matrix<T>& got, const matrix<T>& want) {
  return difference(got.elements.data(), want.elements.data(), static_cast<index_t>(want.elements.size()),
                    [](index_t i) { return std::to_string(i); });
}

}  // namespace

TEMPLATE_TEST_CASE("linalg::matrix_product is gemm", "[linalg]", float, double) {
  using T = TestType;
  for_each_space([]<class Exec>(const Exec& exec) {
    const arena<T, Exec> a_memory(1), b_memory(2), c_memory(3), e_memory(4);
    const int m = 5, n = 7, k = 6;
    const auto check = [&](const auto& A, T factor, const auto& B, T other, const auto& C) {
      exec.fence();
      const matrix<T> a = read<T>(A, a_memory), b = read<T>(B, b_memory), before = read<T>(C, c_memory);
      linalg::matrix_product(exec, A, B, C);
      exec.fence();
      CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', factor * other, a, b, T(0), before)) == "");
    };
    const left<T> A(a_memory.memory.data(), m, k), C(c_memory.memory.data(), m, n);
    const left<const T> At(a_memory.memory.data(), k, m);
    const right<T> B(b_memory.memory.data(), k, n), Bt(b_memory.memory.data(), n, k), Cr(c_memory.memory.data(), m, n);
    const strided<T> As(a_memory.memory.data(), typename strided<T>::mapping_type(typename strided<T>::extents_type(m),
                                                                                  std::array<int, 2>{17, 2}));
    check(A, T(1), B, T(1), C);
    check(As, T(1), B, T(1), Cr);
    check(linalg::transposed(At), T(1), linalg::conjugate_transposed(Bt), T(1), C);
    check(linalg::scaled(T(3), A), T(3), B, T(1), C);
    check(linalg::scaled(T(3), linalg::transposed(At)), T(3), linalg::transposed(linalg::scaled(T(-0.7), Bt)), T(-0.7),
          linalg::transposed(left<T>(c_memory.memory.data(), n, m)));
    check(linalg::scaled(T(2), linalg::scaled(T(0.3), As)), T(2) * T(0.3), linalg::transposed(linalg::transposed(B)),
          T(1), Cr);

    // Updating: in place, from elsewhere, scaled, and not reading what has the factor 0.
    const left<T> E(e_memory.memory.data(), m, n);
    const matrix<T> a = read<T>(A, a_memory), b = read<T>(B, b_memory), e = read<T>(E, e_memory);
    matrix<T> c = read<T>(C, c_memory);
    linalg::matrix_product(exec, A, linalg::scaled(T(0.7), B), C, C);
    exec.fence();
    CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', T(0.7), a, b, T(1), c)) == "");
    c = read<T>(C, c_memory);
    linalg::matrix_product(exec, A, B, linalg::scaled(T(-0.3), C), C);
    exec.fence();
    CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', T(1), a, b, T(-0.3), c)) == "");
    linalg::matrix_product(exec, A, B, linalg::scaled(T(-0.3), E), C);
    exec.fence();
    CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', T(1), a, b, T(-0.3), e)) == "");
    linalg::matrix_product(exec, A, B, E, C);
    exec.fence();
    CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', T(1), a, b, T(1), e)) == "");
    const left<T> column(c_memory.memory.data(), m, 1);  // one column is the same in either layout
    const right<T> same_column(c_memory.memory.data(), m, 1), b_column(b_memory.memory.data(), k, 1);
    const matrix<T> d = read<T>(column, c_memory);
    linalg::matrix_product(exec, A, b_column, same_column, column);
    exec.fence();
    CHECK(compare(read<T>(column, c_memory),
                  abax::reference::gemm('N', 'N', T(1), a, read<T>(b_column, b_memory), T(1), d)) == "");
    Kokkos::deep_copy(e_memory.memory, nan_with_payload<T>());
    linalg::matrix_product(exec, A, B, linalg::scaled(T(0), E), C);
    exec.fence();
    CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', T(1), a, b, T(0), e)) == "");
  });
}

TEMPLATE_TEST_CASE("linalg::matrix_vector_product is gemv", "[linalg]", float, double) {
  using T = TestType;
  for_each_space([]<class Exec>(const Exec& exec) {
    const arena<T, Exec> a_memory(1), x_memory(2), y_memory(3), z_memory(4);
    const int m = 5, k = 7;
    const right<T> A(a_memory.memory.data(), m, k);
    const left<T> At(a_memory.memory.data(), k, m);
    const vector_span<T> x(x_memory.memory.data(), k), y(y_memory.memory.data(), m), z(z_memory.memory.data(), m);
    const matrix<T> a = read<T>(A, a_memory);
    const auto column = [](const auto& arena, int size) {
      return read<T>(left<T>(arena.memory.data(), size, 1), arena);
    };
    const matrix<T> b = column(x_memory, k);
    linalg::matrix_vector_product(exec, linalg::scaled(T(2.5), A), x, y);
    exec.fence();
    CHECK(compare(column(y_memory, m), abax::reference::gemm('N', 'N', T(2.5), a, b, T(0), matrix<T>(m, 1))) == "");
    linalg::matrix_vector_product(exec, linalg::transposed(At), linalg::scaled(T(-3), x), z);
    exec.fence();
    CHECK(compare(column(z_memory, m), abax::reference::gemm('N', 'N', T(-3), a, b, T(0), matrix<T>(m, 1))) == "");
    const matrix<T> c = column(y_memory, m), d = column(z_memory, m);
    linalg::matrix_vector_product(exec, A, x, linalg::scaled(T(0.3), y), y);
    exec.fence();
    CHECK(compare(column(y_memory, m), abax::reference::gemm('N', 'N', T(1), a, b, T(0.3), c)) == "");
    linalg::matrix_vector_product(exec, A, x, z, y);
    exec.fence();
    CHECK(compare(column(y_memory, m), abax::reference::gemm('N', 'N', T(1), a, b, T(1), d)) == "");
    CHECK(compare(column(z_memory, m), d) == "");
  });
}

TEMPLATE_TEST_CASE("linalg takes what View::to_mdspan() gives", "[linalg]", float, double) {
  using T = TestType;
  for_each_space([]<class Exec>(const Exec& exec) {
    using memory = typename Exec::memory_space;
    const arena<T, Exec> a_memory(1), b_memory(2), c_memory(3);
    const int m = 5, n = 4, k = 7;
    const left<T> a(a_memory.memory.data(), m, k), c(c_memory.memory.data(), m, n);
    const right<T> b(b_memory.memory.data(), k, n);
    const matrix<T> before = read<T>(c, c_memory);
    // Managed or not, of constants or not: Kokkos' own accessors differ.
    Kokkos::View<const T**, Kokkos::LayoutLeft, memory> A(a_memory.memory.data(), m, k);
    Kokkos::View<T**, Kokkos::LayoutRight, memory> B(Kokkos::view_alloc("B", exec), k, n);
    Kokkos::View<T**, Kokkos::LayoutStride, memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> C(
        c_memory.memory.data(), Kokkos::LayoutStride(m, 1, n, m));
    Kokkos::deep_copy(exec, B, Kokkos::View<const T**, Kokkos::LayoutRight, memory>(b_memory.memory.data(), k, n));
    linalg::matrix_product(exec, A.to_mdspan(), linalg::scaled(T(3), B.to_mdspan()), C.to_mdspan());
    exec.fence();
    CHECK(compare(read<T>(c, c_memory), abax::reference::gemm('N', 'N', T(3), read<T>(a, a_memory),
                                                              read<T>(b, b_memory), T(0), before)) == "");
    Kokkos::View<T*, memory> x("x", k), y(c_memory.memory.data(), m);
    Kokkos::deep_copy(exec, x, Kokkos::View<const T*, memory>(b_memory.memory.data(), k));
    linalg::matrix_vector_product(exec, A.to_mdspan(), x.to_mdspan(), y.to_mdspan());
    exec.fence();
    const matrix<T> column = read<T>(left<T>(b_memory.memory.data(), k, 1), b_memory);
    CHECK(compare(read<T>(left<T>(c_memory.memory.data(), m, 1), c_memory),
                  abax::reference::gemm('N', 'N', T(1), read<T>(a, a_memory), column, T(0), matrix<T>(m, 1))) == "");
  });
}

TEMPLATE_TEST_CASE("linalg::symmetric_matrix_rank_k_update is syrk", "[linalg][gemmt]", float, double) {
  using T = TestType;
  for_each_space([]<class Exec>(const Exec& exec) {
    const arena<T, Exec> a_memory(1), c_memory(2);
    const int n = 7, k = 5;
    const left<T> A(a_memory.memory.data(), n, k), C(c_memory.memory.data(), n, n);
    const right<const T> At(a_memory.memory.data(), k, n);
    const auto check = [&](char uplo, T alpha, T beta, const auto& X, const auto& call) {
      const matrix<T> x = read<T>(X, a_memory), before = read<T>(C, c_memory);
      call();
      exec.fence();
      CHECK(compare(read<T>(C, c_memory), abax::reference::gemmt(uplo, 'N', 'T', alpha, x, x, beta, before)) == "");
    };
    const auto lower = linalg::lower_triangle;
    const auto upper = linalg::upper_triangle;
    check('L', T(1), T(0), A, [&] { linalg::symmetric_matrix_rank_k_update(exec, A, C, lower); });
    const auto turned = linalg::transposed(At);
    check('U', T(1), T(0), turned, [&] { linalg::symmetric_matrix_rank_k_update(exec, turned, C, upper); });
    check('U', T(9), T(0), A, [&] { linalg::symmetric_matrix_rank_k_update(exec, linalg::scaled(T(3), A), C, upper); });
    check('L', T(1), T(1), A, [&] { linalg::symmetric_matrix_rank_k_update(exec, A, C, C, lower); });
    check('L', T(1), T(-2), A,
          [&] { linalg::symmetric_matrix_rank_k_update(exec, A, linalg::scaled(T(-2), C), C, lower); });
    check('U', T(0.5), T(0), A, [&] { linalg::symmetric_matrix_rank_k_update(exec, 0.5, A, C, upper); });
    check('U', T(0.5), T(3), A,
          [&] { linalg::symmetric_matrix_rank_k_update(exec, T(0.5), A, linalg::scaled(T(3), C), C, upper); });
  });
}

TEST_CASE("linalg refuses before anything is written", "[linalg][errors]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const Kokkos::DefaultHostExecutionSpace exec;
  std::vector<double> memory(100, 3), other(100, 5);
  const left<double> A(memory.data(), 4, 4), B(memory.data() + 16, 4, 4), C(memory.data() + 32, 4, 4),
      E(other.data(), 4, 4), narrow(other.data(), 4, 3);
  const auto refused = [&](const auto& call, const char* words) {
    CHECK_THROWS_MATCHES(call(), abax::invalid_argument, MessageMatches(ContainsSubstring(words)));
    CHECK(memory == std::vector<double>(100, 3));
  };
  refused([&] { linalg::matrix_product(exec, A, B, narrow, C); }, "extent 1 of E is 3, but extent 1 of C is 4");
  refused([&] { linalg::matrix_product(exec, C, B, E, C); }, "output C (4 x 4) shares memory with input A");
  refused([&] { linalg::matrix_product(exec, A, C, E, C); }, "output C (4 x 4) shares memory with input B");
  refused([&] { linalg::matrix_product(exec, A, B, linalg::transposed(C), C); },
          "abax::linalg::matrix_product: output C (4 x 4) shares memory with input E (4 x 4)");
  refused([&] { linalg::matrix_product(exec, narrow, B, E, C); }, "extent 1 of A is 3, but extent 0 of B is 4");
  refused([&] { linalg::symmetric_matrix_rank_k_update(exec, A, E, C, linalg::lower_triangle); },
          "abax::linalg::symmetric_matrix_rank_k_update: input E (4 x 4) is not output C (4 x 4) itself");
  refused([&] { linalg::symmetric_matrix_rank_k_update(exec, C, C, linalg::upper_triangle); },
          "output C (4 x 4) shares memory with input A");
  const vector_span<double> x(memory.data() + 60, 4), y(other.data(), 4), z(memory.data() + 70, 4);
  refused([&] { linalg::matrix_vector_product(exec, narrow, x, y, z); }, "extent 1 of A is 3");
  const vector_span<double> off(memory.data() + 71, 4);
  refused([&] { linalg::matrix_vector_product(exec, A, x, off, z); },
          "abax::linalg::matrix_vector_product: output z (4 x 1) shares memory with input y (4 x 1)");
  refused([&] { linalg::matrix_vector_product(exec, A, z, y, z); }, "output z (4 x 1) shares memory with input x");
}
