// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements further apart than 32 bits can count, and extents that large themselves.
#include <sys/mman.h>

#include <abax/abax.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Memory of which only a few elements are touched. On the host it is address space without pages, on a device an
/// ordinary allocation. data() is null where there is not enough.
template <class T, class Exec>
class vast {
 public:
  using memory = typename Exec::memory_space;
  static constexpr bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, memory>::accessible;

  explicit vast(index_t count) : bytes_(sizeof(T) * count) {
    if constexpr (host) {
      void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      data_ = p == MAP_FAILED ? nullptr : static_cast<T*>(p);
    } else {
      try {
        data_ = static_cast<T*>(Kokkos::kokkos_malloc<memory>("vast", bytes_));
      } catch (const std::exception&) {
      }
    }
  }
  ~vast() {
    if (data_ == nullptr) return;
    if constexpr (host)
      munmap(data_, bytes_);
    else
      Kokkos::kokkos_free<memory>(data_);
  }
  vast(const vast&) = delete;
  T* data() const { return data_; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

template <class T, class Exec>
using matrix_view = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space, unmanaged>;
template <class T, class Exec>
using vector_view = Kokkos::View<T*, Kokkos::LayoutStride, typename Exec::memory_space, unmanaged>;

// Element by element: strides like these are nothing that deep_copy takes across memories.
template <class T, class Exec>
void write(const matrix_view<T, Exec>& to, const matrix<T>& from) {
  for (index_t j = 0; j < from.cols; ++j)
    for (index_t i = 0; i < from.rows; ++i) Kokkos::deep_copy(Kokkos::subview(to, i, j), from(i, j));
}
template <class T, class Exec>
matrix<T> read(const matrix_view<T, Exec>& from) {
  matrix<T> to(from.extent(0), from.extent(1));
  for (index_t j = 0; j < to.cols; ++j)
    for (index_t i = 0; i < to.rows; ++i) Kokkos::deep_copy(to(i, j), Kokkos::subview(from, i, j));
  return to;
}

constexpr index_t ld = (index_t(1) << 30) + 7;  // times 5 columns: beyond 2^32 elements

// A (4 x 5), B (5 x 3) and C (4 x 3) as blocks of one parent whose columns, or rows, are ld apart.
template <class T, class Exec>
void check_products(const Exec& exec, T* base, bool by_rows) {
  const auto block = [&](index_t first, int rows, int cols) {
    return matrix_view<T, Exec>(base + first, Kokkos::LayoutStride(rows, by_rows ? ld : 1, cols, by_rows ? 1 : ld));
  };
  const matrix<T> a = random_matrix<T>(4, 5, numbers::unit, 1), b = random_matrix<T>(5, 3, numbers::unit, 2),
                  c = random_matrix<T>(4, 3, numbers::unit, 3), d = random_matrix<T>(4, 4, numbers::unit, 4);
  const auto A = block(0, 4, 5), B = block(100, 5, 3), C = block(200, 4, 3), At = block(300, 5, 4),
             D = block(400, 4, 4), Dt = block(500, 4, 4);
  write<T, Exec>(A, a);
  write<T, Exec>(B, b);
  write<T, Exec>(C, c);
  write<T, Exec>(D, d);
  CAPTURE(exec.name(), by_rows);
  abax::gemm(exec, "N", "N", T(1.25), A, B, T(-0.75), C);
  abax::transpose(exec, A, At);
  abax::transpose(exec, D, Dt);
  exec.fence();
  const matrix<T> product = abax::reference::gemm('N', 'N', T(1.25), a, b, T(-0.75), c);
  REQUIRE(difference(read<T, Exec>(C), product) == "");
  REQUIRE(difference(read<T, Exec>(At), abax::reference::transpose(a)) == "");
  REQUIRE(difference(read<T, Exec>(Dt), abax::reference::transpose(d)) == "");
  abax::transpose(exec, Dt);
  exec.fence();
  REQUIRE(difference(read<T, Exec>(Dt), d) == "");
  write<T, Exec>(C, c);
  abax::gemm(exec, "T", "N", T(1.25), At, B, T(-0.75), C);
  exec.fence();
  REQUIRE(difference(read<T, Exec>(C), product) == "");
  // gemv with A and x spread out and y packed behind them, then with y spread out and the others packed behind it.
  constexpr index_t behind = 4 * ld + 1000;
  const auto packed = [&](index_t first, int rows, int cols) {
    return matrix_view<T, Exec>(base + behind + first, Kokkos::LayoutStride(rows, 1, cols, rows));
  };
  const auto small_a = packed(0, 4, 5), small_b = packed(100, 5, 3), small_c = packed(200, 4, 3);
  write<T, Exec>(small_a, a);
  write<T, Exec>(small_b, b);
  write<T, Exec>(small_c, c);
  write<T, Exec>(C, c);
  for (int j = 0; j < 3; ++j) {
    const char* const trans = j % 2 ? "T" : "N";
    const auto column = [&](const auto& m) { return Kokkos::subview(m, Kokkos::ALL, j); };
    abax::gemv(exec, trans, T(1.25), j % 2 ? At : A, column(B), T(-0.75), column(small_c));
    abax::gemv(exec, "N", T(1.25), small_a, column(small_b), T(-0.75), column(C));
  }
  exec.fence();
  REQUIRE(difference(read<T, Exec>(small_c), product) == "");
  REQUIRE(difference(read<T, Exec>(C), product) == "");
}

// Vectors of 5 elements, ld apart: rows of a parent with ld rows.
template <class T, class Exec>
void check_vectors(const Exec& exec, T* base) {
  const auto row = [&](index_t i) { return vector_view<T, Exec>(base + i, Kokkos::LayoutStride(5, ld)); };
  const auto column = [&](index_t i) { return matrix_view<T, Exec>(base + i, Kokkos::LayoutStride(5, ld, 1, 1)); };
  const matrix<T> x = random_vector<T>(5, numbers::unit, 1), y = random_vector<T>(5, numbers::unit, 2);
  write<T, Exec>(column(0), x);
  write<T, Exec>(column(1), y);
  write<T, Exec>(column(2), matrix<T>(5, 1));
  CAPTURE(exec.name());
  abax::triad(exec, T(1.7), row(0), row(1), row(2));
  abax::axpby(exec, T(0.3), row(0), T(-0.7), row(1));
  abax::dot(exec, row(0), row(0), Kokkos::View<T, typename Exec::memory_space, unmanaged>(base + 4 * ld + 1000));
  exec.fence();
  REQUIRE(difference(read<T, Exec>(column(2)), abax::reference::triad(T(1.7), x, y)) == "");
  REQUIRE(difference(read<T, Exec>(column(1)), abax::reference::axpby(T(0.3), x, T(-0.7), y)) == "");
  T sum;
  Kokkos::deep_copy(sum, Kokkos::View<T, typename Exec::memory_space, unmanaged>(base + 4 * ld + 1000));
  REQUIRE(difference(sum, abax::reference::dot(x, x)) == "");
  abax::copy(exec, row(0), row(1));
  abax::scal(exec, row(2), T(3), row(0));
  abax::increment(exec, T(0.1), row(0));
  exec.fence();
  REQUIRE(difference(read<T, Exec>(column(1)), x) == "");
  REQUIRE(difference(read<T, Exec>(column(2)), abax::reference::scal(T(3), x)) == "");
  REQUIRE(difference(read<T, Exec>(column(0)), abax::reference::increment(T(0.1), x)) == "");
}

// Operands of many elements, so that tiles, stages and blocks themselves begin beyond 2^31: `line` times 2100 lines,
// and a vector of 40000 elements.
constexpr index_t line = (index_t(1) << 20) + 7, lines = 2100, step = (index_t(1) << 16) + 3, steps = 40000;

template <class T, class Exec>
void check_long_operands(const Exec& exec, T* base) {
  using memory = typename Exec::memory_space;
  // Through a packed copy in the same memory: what deep_copy takes across memories is contiguous.
  const auto fill = [&](const auto& view, const matrix<T>& from) {
    Kokkos::View<T**, Kokkos::LayoutLeft, memory> packed("packed", from.rows, from.cols);
    Kokkos::deep_copy(packed, Kokkos::View<const T**, Kokkos::LayoutLeft, Kokkos::HostSpace, unmanaged>(
                                  from.elements.data(), from.rows, from.cols));
    Kokkos::deep_copy(exec, view, packed);
  };
  const auto fetch = [&](const auto& view) {
    Kokkos::View<T**, Kokkos::LayoutLeft, memory> packed("packed", view.extent(0), view.extent(1));
    Kokkos::deep_copy(exec, packed, view);
    exec.fence();
    matrix<T> to(view.extent(0), view.extent(1));
    Kokkos::deep_copy(
        Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace, unmanaged>(to.elements.data(), to.rows, to.cols),
        packed);
    return to;
  };
  const auto tall = [&](index_t first, int cols) {
    return matrix_view<T, Exec>(base + first, Kokkos::LayoutStride(lines, line, cols, 1));
  };
  const matrix<T> a = random_matrix<T>(lines, 4, numbers::unit, 1), b = random_matrix<T>(4, 3, numbers::unit, 2),
                  c = random_matrix<T>(lines, 3, numbers::unit, 3);
  Kokkos::View<T**, Kokkos::LayoutLeft, memory> B("B", 4, 3), D("D", 4, 3);
  Kokkos::View<T**, Kokkos::LayoutLeft, memory> At("At", 4, lines);
  Kokkos::View<T, memory> r("r");
  const auto A = tall(0, 4), C = tall(8, 3);
  fill(A, a);
  fill(B, b);
  fill(C, c);
  CAPTURE(exec.name());
  const matrix<T> product = abax::reference::gemm('N', 'N', T(1.25), a, b, T(-0.75), c);
  abax::gemm(exec, "T", "N", T(1), A, C, T(0), D);  // k runs along the lines
  abax::dot(exec, Kokkos::subview(A, Kokkos::ALL, 1), Kokkos::subview(C, Kokkos::ALL, 2), r);
  abax::transpose(exec, A, At);
  abax::gemm(exec, "N", "N", T(1.25), A, B, T(-0.75), C);  // m does
  exec.fence();
  const matrix<T> d = abax::reference::gemm('T', 'N', T(1), a, c, T(0), b);
  T sum;
  Kokkos::deep_copy(sum, r);
  REQUIRE(difference(fetch(D), d) == "");
  matrix<T> left(a.rows, 1), right(c.rows, 1);
  for (index_t i = 0; i < a.rows; ++i) left(i) = a(i, 1), right(i) = c(i, 2);
  REQUIRE(difference(sum, abax::reference::dot(left, right)) == "");
  REQUIRE(difference(fetch(At), abax::reference::transpose(a)) == "");
  REQUIRE(difference(fetch(C), product) == "");
  fill(C, c);
  for (int j = 0; j < 3; ++j) {
    abax::gemv(exec, "T", T(1), A, Kokkos::subview(C, Kokkos::ALL, j), T(0), Kokkos::subview(D, Kokkos::ALL, j));
  }
  exec.fence();
  REQUIRE(difference(fetch(D), d) == "");

  const vector_view<T, Exec> x(base, Kokkos::LayoutStride(steps, step)), y(base + 1, Kokkos::LayoutStride(steps, step));
  const matrix_view<T, Exec> x_matrix(base, Kokkos::LayoutStride(steps, step, 1, 1)),
      y_matrix(base + 1, Kokkos::LayoutStride(steps, step, 1, 1));
  const matrix<T> u = random_vector<T>(steps, numbers::unit, 4), v = random_vector<T>(steps, numbers::unit, 5);
  fill(x_matrix, u);
  fill(y_matrix, v);
  abax::axpby(exec, T(1.7), x, T(-0.3), y);
  REQUIRE(difference(fetch(y_matrix), abax::reference::axpby(T(1.7), u, T(-0.3), v)) == "");
  abax::copy(exec, x, y);
  abax::increment(exec, T(0.1), x);
  REQUIRE(difference(fetch(y_matrix), u) == "");
  REQUIRE(difference(fetch(x_matrix), abax::reference::increment(T(0.1), u)) == "");
}

}  // namespace

TEMPLATE_TEST_CASE("Offsets beyond 2^32 elements reach the right ones", "[offsets][bits]", float, double) {
  using T = TestType;
  int ran = 0;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    const vast<T, Exec> memory(4 * ld + 2000);
    if (memory.data() == nullptr) return;
    ++ran;
    check_products<T>(exec, memory.data(), false);
    check_products<T>(exec, memory.data(), true);
    check_vectors<T>(exec, memory.data());
    check_long_operands<T>(exec, memory.data());
  });
  if (ran == 0) SKIP("no memory of " << sizeof(T) * (4 * ld + 2000) << " bytes can be had, even untouched");
}

// Extents that once broke other libraries: rows past 2^22 and 2^23, and more tiles than a grid has rows.
TEMPLATE_TEST_CASE("Very tall and very wide operands are covered to the last element", "[offsets][bits]", float,
                   double) {
  using T = TestType;
  constexpr index_t long_extent = (index_t(1) << 23) + 3;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    using memory = typename Exec::memory_space;
    Kokkos::View<T**, Kokkos::LayoutLeft, memory> A("A", long_extent, 2);
    Kokkos::View<T**, Kokkos::LayoutRight, memory> At("At", long_extent, 2);
    Kokkos::View<T*, memory> x("x", 2), y("y", long_extent);
    Kokkos::View<T**, Kokkos::LayoutLeft, memory> B("B", 2, 1), C("C", 1, long_extent);
    const auto host_a = Kokkos::create_mirror_view(A);
    random_bits random(5);
    for (index_t i = 0; i < long_extent; ++i) {
      host_a(i, 0) = static_cast<T>(random.next() >> 44);  // whole numbers: the product below is exact
      host_a(i, 1) = static_cast<T>(random.next() >> 44);
    }
    const auto host_x = Kokkos::create_mirror_view(x);
    host_x(0) = 3, host_x(1) = 5;
    Kokkos::deep_copy(A, host_a);
    Kokkos::deep_copy(x, host_x);
    Kokkos::deep_copy(Kokkos::subview(B, Kokkos::ALL, 0), x);
    abax::gemv(exec, "N", T(1), A, x, T(0), y);
    abax::gemm(exec, "T", "T", T(1), B, A, T(0), C);
    abax::transpose(exec, A, Kokkos::View<T**, Kokkos::LayoutLeft, memory, unmanaged>(At.data(), 2, long_extent));
    exec.fence();
    const auto host_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    const auto host_c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
    const auto host_t = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), At);
    index_t wrong = 0;
    for (index_t i = 0; i < long_extent; ++i) {
      const T want = 3 * host_a(i, 0) + 5 * host_a(i, 1);
      wrong += bits_of(host_y(i)) != bits_of(want) || bits_of(host_c(0, i)) != bits_of(want) ||
               bits_of(host_t(i, 0)) != bits_of(host_a(i, 0)) || bits_of(host_t(i, 1)) != bits_of(host_a(i, 1));
    }
    CAPTURE(exec.name());
    REQUIRE(wrong == 0);
  });
}

// Hidden: 8 GiB a vector. For machines with room: abax_tests "[.large]".
TEST_CASE("Vectors longer than 2^31 elements are covered to the last one", "[.large]") {
  using T = float;
  constexpr index_t n = (index_t(1) << 31) + 4097;
  int ran = 0;
  for_each_space([&](const auto& exec) {
    using Exec = std::decay_t<decltype(exec)>;
    if constexpr (std::is_same_v<Exec, Kokkos::DefaultExecutionSpace>) {
      const vast<T, Exec> memory_x(n), memory_y(n), memory_r(1);
      if (memory_x.data() == nullptr || memory_y.data() == nullptr) return;
      ++ran;
      const vector_view<T, Exec> x(memory_x.data(), Kokkos::LayoutStride(n, 1)),
          y(memory_y.data(), Kokkos::LayoutStride(n, 1));
      const Kokkos::View<T, typename Exec::memory_space, unmanaged> r(memory_r.data());
      const auto at = [](const auto& v, index_t i) {
        T value;
        Kokkos::deep_copy(value, Kokkos::subview(v, i));
        return value;
      };
      abax::scal(exec, x, T(0), y);  // zero, whatever the memory holds
      abax::increment(exec, T(1), x);
      abax::copy(exec, x, y);
      abax::axpby(exec, T(2), x, T(3), y);
      abax::dot(exec, x, x, r);
      exec.fence();
      T total = 2048;  // block sums of ones, added as the canon adds them
      for (index_t block = 1; block < n / 2048; ++block) total = total + T(2048);
      total = total + T(n % 2048);
      T sum;
      Kokkos::deep_copy(sum, r);
      REQUIRE(difference(sum, total) == "");
      for (const index_t i : {index_t(0), (index_t(1) << 31) - 1, index_t(1) << 31, n - 4096, n - 1}) {
        CAPTURE(i);
        REQUIRE(at(x, i) == T(1));
        REQUIRE(at(y, i) == T(5));
      }
      // The sum of all y finds any element that was left out.
      abax::dot(exec, x, y, r);
      exec.fence();
      T fives = 5 * 2048;
      for (index_t block = 1; block < n / 2048; ++block) fives = fives + T(5 * 2048);
      fives = fives + T(5 * (n % 2048));
      Kokkos::deep_copy(sum, r);
      REQUIRE(difference(sum, fives) == "");
    }
  });
  if (ran == 0) SKIP("no memory for two vectors of " << sizeof(T) * n << " bytes");
}
