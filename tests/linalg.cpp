// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax::linalg: every mixture of layout, transposition and factor is gemm's or gemv's problem, bit by bit.
#include <abax/linalg.hpp>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <complex>

#include "complex_reference.hpp"
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

namespace {

/// Complex numbers in memory of the space.
template <class R, class Exec>
struct complex_arena {
  using T = Kokkos::complex<R>;
  Kokkos::View<T*, typename Exec::memory_space> memory;
  explicit complex_arena(std::uint64_t seed) : memory("arena", 400) {
    const matrix<R> numbers = random_matrix<R>(800, 1, numbers::special, seed);
    Kokkos::deep_copy(
        memory, Kokkos::View<const T*, Kokkos::HostSpace>(reinterpret_cast<const T*>(numbers.elements.data()), 400));
  }
  std::vector<T> elements() const {
    std::vector<T> result(400);
    Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(result.data(), 400), memory);
    return result;
  }
};

template <class T>
matrix<T> conjugate(matrix<T> x) {
  for (T& element : x.elements) element = T(element.real(), -element.imag());
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("linalg conjugates and scales complex operands", "[linalg][complex]", float, double) {
  using R = TestType;
  using T = Kokkos::complex<R>;
  for_each_space([]<class Exec>(const Exec& exec) {
    const complex_arena<R, Exec> a_memory(1), b_memory(2), c_memory(3), e_memory(4);
    const int m = 5, n = 7, k = 6;
    const T one(1, 0), f(R(0.5), R(-2)), g(R(3), R(0.25)), zero(0, 0);
    const auto both = [](const T& x, const T& y) { return abax::reference::multiply(x, y); };
    const auto bar = [](const T& x) { return T(x.real(), -x.imag()); };
    const left<T> A(a_memory.memory.data(), m, k), C(c_memory.memory.data(), m, n), E(e_memory.memory.data(), m, n);
    const left<const T> At(a_memory.memory.data(), k, m);
    const right<T> B(b_memory.memory.data(), k, n), Bt(b_memory.memory.data(), n, k), Cr(c_memory.memory.data(), m, n);
    const matrix<T> a = read<T>(A, a_memory), b = read<T>(B, b_memory), e = read<T>(E, e_memory);
    const matrix<T> at = read<T>(At, a_memory), bt = read<T>(Bt, b_memory);
    const auto check = [&](const auto& X, char op_x, const matrix<T>& x, const auto& Y, char op_y, const matrix<T>& y,
                           const T& alpha, const auto& Z) {
      const matrix<T> before = read<T>(Z, c_memory);
      linalg::matrix_product(exec, X, Y, Z);
      exec.fence();
      CHECK(compare(read<T>(Z, c_memory), abax::reference::gemm(op_x, op_y, alpha, x, y, zero, before)) == "");
    };
    check(A, 'N', a, B, 'N', b, one, C);
    check(linalg::conjugate_transposed(At), 'C', at, B, 'N', b, one, C);
    check(A, 'N', a, linalg::conjugate_transposed(Bt), 'C', bt, one, Cr);
    check(linalg::conjugated(A), 'N', conjugate(a), B, 'N', b, one, C);
    check(linalg::conjugated(A), 'N', conjugate(a), linalg::conjugated(B), 'N', conjugate(b), one, Cr);
    check(A, 'N', a, linalg::conjugated(linalg::transposed(Bt)), 'C', bt, one,
          linalg::transposed(right<T>(c_memory.memory.data(), n, m)));
    check(linalg::conjugated(linalg::conjugated(A)), 'N', a, B, 'N', b, one, C);
    check(linalg::scaled(f, A), 'N', a, linalg::scaled(g, B), 'N', b, both(f, g), C);
    check(linalg::conjugated(linalg::scaled(f, A)), 'N', conjugate(a), B, 'N', b, bar(f), C);
    check(linalg::scaled(f, linalg::conjugated(A)), 'N', conjugate(a), B, 'N', b, f, C);
    check(linalg::conjugated(linalg::scaled(f, linalg::conjugate_transposed(At))), 'T', at, linalg::scaled(R(3), B),
          'N', b, both(bar(f), T(3, 0)), C);
    check(linalg::conjugated(linalg::scaled(f, linalg::scaled(g, A))), 'N', conjugate(a), B, 'N', b, bar(both(f, g)),
          Cr);

    // Updating, also with the conjugate of what is there.
    const auto update = [&](const auto& addend, const T& beta, const matrix<T>& c) {
      linalg::matrix_product(exec, A, linalg::conjugated(B), addend, C);
      exec.fence();
      CHECK(compare(read<T>(C, c_memory), abax::reference::gemm('N', 'N', one, a, conjugate(b), beta, c)) == "");
    };
    update(linalg::scaled(f, E), f, e);
    update(linalg::conjugated(linalg::scaled(f, E)), bar(f), conjugate(e));
    update(linalg::scaled(f, C), f, read<T>(C, c_memory));
    Kokkos::deep_copy(c_memory.memory, e_memory.memory);
    update(linalg::conjugated(C), one, conjugate(e));

    // Vectors.
    const vector_span<T> x(b_memory.memory.data(), k), y(c_memory.memory.data(), m), z(e_memory.memory.data(), m);
    const matrix<T> v = read<T>(left<T>(b_memory.memory.data(), k, 1), b_memory);
    const matrix<T> w = read<T>(left<T>(e_memory.memory.data(), m, 1), e_memory);
    const auto column = [&] { return read<T>(left<T>(c_memory.memory.data(), m, 1), c_memory); };
    linalg::matrix_vector_product(exec, linalg::conjugated(linalg::scaled(f, A)), x, y);
    exec.fence();
    CHECK(compare(column(), abax::reference::gemm('N', 'N', bar(f), conjugate(a), v, zero, w)) == "");
    linalg::matrix_vector_product(exec, linalg::conjugate_transposed(At), linalg::conjugated(x),
                                  linalg::scaled(g, linalg::conjugated(z)), y);
    exec.fence();
    CHECK(compare(column(), abax::reference::gemm('C', 'N', one, at, conjugate(v), g, conjugate(w))) == "");
  });
}

TEMPLATE_TEST_CASE("linalg's rank-k updates of complex operands are syrk and herk", "[linalg][gemmt][complex]", float,
                   double) {
  using R = TestType;
  using T = Kokkos::complex<R>;
  for_each_space([]<class Exec>(const Exec& exec) {
    const complex_arena<R, Exec> a_memory(5), c_memory(6);
    const int n = 7, k = 5;
    const T one(1, 0), f(R(0.5), R(-2)), zero(0, 0);
    const R square = std::fma(f.imag(), f.imag(), f.real() * f.real());
    const left<T> A(a_memory.memory.data(), n, k), C(c_memory.memory.data(), n, n);
    const right<const T> At(a_memory.memory.data(), k, n);
    const matrix<T> a = read<T>(A, a_memory), at = read<T>(At, a_memory);
    const auto check = [&](char uplo, char op_x, char op_y, const matrix<T>& x, const T& alpha, const T& beta,
                           bool hermitian, const auto& call) {
      const matrix<T> before = read<T>(C, c_memory);
      call();
      exec.fence();
      CHECK(compare(read<T>(C, c_memory),
                    abax::reference::gemmt(uplo, op_x, op_y, alpha, x, x, beta, before, hermitian)) == "");
    };
    const auto lower = linalg::lower_triangle;
    const auto upper = linalg::upper_triangle;
    check('L', 'N', 'T', a, one, zero, false, [&] { linalg::symmetric_matrix_rank_k_update(exec, A, C, lower); });
    check('U', 'N', 'T', conjugate(a), f, one, false,
          [&] { linalg::symmetric_matrix_rank_k_update(exec, f, linalg::conjugated(A), C, C, upper); });
    check('L', 'N', 'C', a, one, zero, true, [&] { linalg::hermitian_matrix_rank_k_update(exec, A, C, lower); });
    check('U', 'C', 'N', at, one, zero, true,
          [&] { linalg::hermitian_matrix_rank_k_update(exec, linalg::conjugate_transposed(At), C, upper); });
    check('L', 'N', 'C', conjugate(a), T(R(-0.5)), zero, true,
          [&] { linalg::hermitian_matrix_rank_k_update(exec, -0.5, linalg::conjugated(A), C, lower); });
    check('L', 'N', 'C', a, one, one, true, [&] { linalg::hermitian_matrix_rank_k_update(exec, A, C, C, lower); });
    check('U', 'N', 'C', a, T(3 * square), T(R(-2)), true, [&] {
      linalg::hermitian_matrix_rank_k_update(exec, 3, linalg::scaled(f, A), linalg::scaled(R(-2), C), C, upper);
    });
    CHECK_THROWS_AS(linalg::hermitian_matrix_rank_k_update(exec, A, linalg::scaled(f, C), C, upper),
                    abax::invalid_argument);
    CHECK_THROWS_AS(linalg::hermitian_matrix_rank_k_update(exec, A, linalg::transposed(C), C, upper),
                    abax::invalid_argument);
  });
}

TEST_CASE("linalg takes the standard library's complex numbers, and real ones where conjugates are asked for",
          "[linalg][complex]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  using T = std::complex<double>;
  std::vector<T> a(6), c(9), wanted(9);
  for (int i = 0; i < 6; ++i) a[i] = T(i - 2, 3 - i);
  const left<T> A(a.data(), 3, 2), C(c.data(), 3, 3);
  linalg::matrix_product(exec, linalg::scaled(T(0, 1), A), linalg::conjugate_transposed(A), C);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) wanted[i + 3 * j] = T(0, 1) * (a[i] * std::conj(a[j]) + a[i + 3] * std::conj(a[j + 3]));
  CHECK(c == wanted);
  CHECK(linalg::conjugated(linalg::scaled(T(0, 1), A)).accessor().access(a.data(), 1) == std::conj(T(0, 1) * a[1]));
  static_assert(std::is_same_v<decltype(linalg::conjugated(linalg::conjugated(A))), left<T>>);

  std::vector<double> x(6, 2), y(9);
  const left<double> X(x.data(), 3, 2), Y(y.data(), 3, 3);
  static_assert(std::is_same_v<decltype(linalg::conjugated(X)), left<double>>);
  linalg::hermitian_matrix_rank_k_update(exec, 0.5, X, Y, linalg::lower_triangle);
  CHECK(y == std::vector<double>{4, 4, 4, 0, 4, 4, 0, 0, 4});
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
