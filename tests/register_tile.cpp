// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register tiles of products in a user's kernel, on the host, where the backends for CPUs compute most of them in
// ways of their own: every combination of the indices along which A, B and C lie, and of what lies at 16 bytes.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <type_traits>

#include "abax/detail/backends/in_kernel_for.hpp"
#include "abax/detail/team/in_kernel.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "reference.hpp"

using namespace abax::tests;
namespace tile = abax::tile;
using tile::fast;

namespace {

template <fast Run>
using layout_of = std::conditional_t<Run == fast::row, Kokkos::LayoutLeft, Kokkos::LayoutRight>;

template <fast Run>
constexpr placement lying(index_t pad = 0, index_t offset = 0) {
  return {Run == fast::row ? layout::left : layout::right, pad, offset};
}

/// A View of the operand as a kernel's function takes it.
template <fast Run, class Element, class Operand>
auto in_kernel(const Operand& of) {
  return abax::team::operand_of<abax::portable::in_kernel>(of.template view<layout_of<Run>, Element>());
}

/// C's lines have `gap` elements between them, the first begins `offset` behind a multiple of 16 bytes.
template <int Rows, int Cols, bool Chunks, fast RunA, fast RunB, fast RunC, class T>
void check(index_t m, index_t n, index_t k, T beta, index_t gap = 0, index_t offset = 0) {
  const matrix<T> a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2),
                  c = random_matrix<T>(m, n, beta == T(0) ? numbers::nan : numbers::unit, 3);
  const matrix<T> want = abax::reference::gemm('N', 'N', T(1.25), a, b, beta, c);
  const operand<T, Kokkos::DefaultHostExecutionSpace> A(a, lying<RunA>()),
      Bt(abax::reference::transpose(b), lying<RunB>()), C(c, lying<RunC>(gap, offset));
  const auto a_operand = in_kernel<RunA, const T>(A);
  const auto b_operand = in_kernel<RunB, const T>(Bt);
  const auto c_operand = in_kernel<RunC, T>(C);
  CAPTURE(Rows, Cols, Chunks, int(RunA), int(RunB), int(RunC), m, n, k, beta, gap, offset);
  if (Chunks) REQUIRE(abax::team::have_chunks(a_operand, b_operand));
  const int row_tiles = int(tile::ceil_div(m, index_t(Rows))), col_tiles = int(tile::ceil_div(n, index_t(Cols)));
  for (int col = 0; col < col_tiles; ++col)
    for (int row = 0; row < row_tiles; ++row)
      tile::register_tile<Chunks, Rows, Cols>(
          a_operand, b_operand, c_operand, tile::epilogue<T>{T(1.25), beta},
          abax::team::spread_of<Rows, Chunks, decltype(a_operand)>(row, row_tiles, int(m)),
          abax::team::spread_of<Cols, Chunks, decltype(b_operand)>(col, col_tiles, int(n)));
  REQUIRE(C.difference_from(want) == "");
}

template <int Rows, int Cols, fast RunA, fast RunB, fast RunC, class T>
void check_sizes() {
  constexpr index_t wide = tile::chunk_of<T>;
  for (const T beta : {T(0), T(-0.75)}) {
    // The terms are from one chunk to several, even and odd, and pass a block of the canon. C's lines begin at 16
    // bytes, or all but some do not, or none does.
    for (const index_t chunks : {1, 2, 3, 4, 5, 9}) {
      check<Rows, Cols, true, RunA, RunB, RunC, T>(12, 20, chunks * wide, beta);
      check<Rows, Cols, true, RunA, RunB, RunC, T>(12, 20, chunks * wide, beta, 1);
      check<Rows, Cols, true, RunA, RunB, RunC, T>(12, 20, chunks * wide, beta, 0, 1);
    }
    check<Rows, Cols, true, RunA, RunB, RunC, T>(12, 20, 2048 + 3 * wide, beta);
    // Tiles at the edges are not whole, as far as the chunks of A and B allow it. C's lines begin at 16 bytes, or do
    // not.
    const index_t m = RunA == fast::row ? 8 + wide : 9, n = RunB == fast::row ? 8 + wide : 7;
    const index_t gap = wide - (RunC == fast::row ? m : n) % wide;
    check<Rows, Cols, true, RunA, RunB, RunC, T>(m, n, 6 * wide, beta, gap);
    check<Rows, Cols, true, RunA, RunB, RunC, T>(m, n, 6 * wide, beta, gap + 1);
    // Where no operand has chunks along the terms, any number of these will do.
    if constexpr (RunA == fast::row && RunB == fast::row)
      check<Rows, Cols, true, RunA, RunB, RunC, T>(8, 16, 3 * wide + 1, beta);
    check<Rows, Cols, false, RunA, RunB, RunC, T>(13, 6, 2051, beta, 1);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("Register tiles have the canon's bits in every layout", "[team][bits]", float, double) {
  check_sizes<4, 4, fast::row, fast::row, fast::row, TestType>();
  check_sizes<4, 4, fast::row, fast::row, fast::col, TestType>();
  check_sizes<4, 4, fast::row, fast::col, fast::row, TestType>();
  check_sizes<4, 4, fast::row, fast::col, fast::col, TestType>();
  check_sizes<4, 4, fast::col, fast::row, fast::row, TestType>();
  check_sizes<4, 4, fast::col, fast::row, fast::col, TestType>();
  check_sizes<4, 4, fast::col, fast::col, fast::row, TestType>();
  check_sizes<4, 4, fast::col, fast::col, fast::col, TestType>();
  check_sizes<8, 4, fast::col, fast::row, fast::col, TestType>();
  check_sizes<8, 8, fast::col, fast::row, fast::col, TestType>();
  check_sizes<8, 8, fast::row, fast::col, fast::row, TestType>();
  check_sizes<2, 2, fast::row, fast::col, fast::row, TestType>();
}
