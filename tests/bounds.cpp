// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing outside of the operands is even read: on the host every operand ends, or begins, at a page that is not there.
// (On a GPU, compute-sanitizer's memcheck looks for the same.)
#include <abax/abax.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include "inputs.hpp"
#include "pages.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

using namespace abax::tests;

namespace {

using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <class T>
using matrix_view = Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace, unmanaged>;
template <class T>
using vector_view = Kokkos::View<T*, Kokkos::LayoutStride, Kokkos::HostSpace, unmanaged>;

/// A matrix between pages, column by column or row by row, without a gap.
template <class T>
struct paged_matrix {
  paged<T> memory;
  index_t rows, cols;
  bool by_rows;

  paged_matrix(const matrix<T>& values, bool by_rows_, page_edge edge)
      : memory(by_rows_ ? abax::reference::transpose(values).elements : values.elements, edge),
        rows(values.rows),
        cols(values.cols),
        by_rows(by_rows_) {}
  matrix_view<T> view() const {
    return matrix_view<T>(memory.data(), Kokkos::LayoutStride(rows, by_rows ? cols : 1, cols, by_rows ? 1 : rows));
  }
  vector_view<T> vector() const { return vector_view<T>(memory.data(), Kokkos::LayoutStride(rows, 1)); }
  matrix<T> values() const {
    matrix<T> result(by_rows ? cols : rows, by_rows ? rows : cols);
    result.elements = memory.values();
    return by_rows ? abax::reference::transpose(result) : result;
  }
};

template <class Visit>
void for_each_host_space(const Visit& visit) {
  for_each_space([&](const auto& exec) {
    if constexpr (Kokkos::SpaceAccessibility<std::decay_t<decltype(exec)>, Kokkos::HostSpace>::accessible) visit(exec);
  });
}

}  // namespace

TEMPLATE_TEST_CASE("Products read and write nothing outside of their operands", "[bounds]", float, double) {
  using T = TestType;
  for_each_host_space([](const auto& exec) {
    for (const page_edge edge : {page_edge::after, page_edge::before})
      for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 1, 1},
                                    {7, 5, 3},
                                    {31, 13, 17},
                                    {49, 25, 9},
                                    {33, 1, 70},
                                    {1, 33, 70},
                                    {100, 50, 300}})
        for (int turn = 0; turn < 8; ++turn) {
          CAPTURE(exec.name(), m, n, k, turn, edge == page_edge::after);
          const matrix<T> a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2),
                          c = random_matrix<T>(m, n, numbers::unit, 3), x = random_vector<T>(k, numbers::unit, 4),
                          y = random_vector<T>(m, numbers::unit, 5);
          const paged_matrix<T> A(a, turn & 1, edge), B(b, turn & 2, edge), C(c, turn & 4, edge), X(x, false, edge),
              Y(y, false, edge);
          abax::gemm(exec, "N", "N", T(1.5), A.view(), B.view(), T(0.5), C.view());
          abax::gemv(exec, "N", T(1.5), A.view(), X.vector(), T(0.5), Y.vector());
          exec.fence();
          REQUIRE(difference(C.values(), abax::reference::gemm('N', 'N', T(1.5), a, b, T(0.5), c)) == "");
          REQUIRE(difference(Y.values(), abax::reference::gemv('N', T(1.5), a, x, T(0.5), y)) == "");
        }
  });
}

TEMPLATE_TEST_CASE("Transposes, sums and streams read and write nothing outside of their operands", "[bounds]", float,
                   double) {
  using T = TestType;
  for_each_host_space([](const auto& exec) {
    for (const page_edge edge : {page_edge::after, page_edge::before}) {
      for (const auto& [m, n] :
           {std::array<index_t, 2>{1, 1}, {3, 5}, {17, 9}, {9, 17}, {31, 33}, {67, 61}, {259, 263}})
        for (int turn = 0; turn < 4; ++turn) {
          CAPTURE(exec.name(), m, n, turn, edge == page_edge::after);
          const matrix<T> a = random_matrix<T>(m, n, numbers::special, 1);
          const paged_matrix<T> A(a, turn & 1, edge), B(matrix<T>(n, m), turn & 2, edge);
          abax::transpose(exec, A.view(), B.view());
          exec.fence();
          REQUIRE(difference(B.values(), abax::reference::transpose(a)) == "");
        }
      for (const index_t n : {1, 2, 5, 16, 31, 67, 259}) {
        CAPTURE(exec.name(), n, edge == page_edge::after);
        const matrix<T> a = random_matrix<T>(n, n, numbers::special, 1);
        const paged_matrix<T> A(a, false, edge);
        abax::transpose(exec, A.view());
        exec.fence();
        REQUIRE(difference(A.values(), abax::reference::transpose(a)) == "");
      }
      for (const index_t n : {1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 63, 65, 100, 1000, 2049, 4099, 40007}) {
        CAPTURE(exec.name(), n, edge == page_edge::after);
        const matrix<T> x = random_vector<T>(n, numbers::unit, 1), y = random_vector<T>(n, numbers::unit, 2);
        const paged_matrix<T> X(x, false, edge), Y(y, false, edge), Z(y, false, edge), R(matrix<T>(1, 1), false, edge);
        abax::dot(exec, X.vector(), Y.vector(), Kokkos::subview(R.vector(), 0));
        abax::triad(exec, T(0.9), X.vector(), Y.vector(), Z.vector());
        exec.fence();
        REQUIRE(difference(R.values()(0), abax::reference::dot(x, y)) == "");
        REQUIRE(difference(Z.values(), abax::reference::triad(T(0.9), x, y)) == "");
        abax::copy(exec, X.vector(), Z.vector());
        abax::axpby(exec, T(1.7), X.vector(), T(-0.3), Y.vector());
        abax::increment(exec, T(0.1), X.vector());
        exec.fence();
        REQUIRE(difference(Z.values(), x) == "");
        REQUIRE(difference(Y.values(), abax::reference::axpby(T(1.7), x, T(-0.3), y)) == "");
        REQUIRE(difference(X.values(), abax::reference::increment(T(0.1), x)) == "");
      }
    }
  });
}
