// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register tiles of products in a user's kernel, on the host, where the backends for CPUs compute most of them in
// ways of their own: every combination of the indices along which A, B and C lie, and of what lies at 16 bytes.
#include <Kokkos_Core.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <vector>

#include "abax/detail/team/in_kernel.hpp"
#include "inputs.hpp"
#include "reference.hpp"

using namespace abax::tests;
namespace tile = abax::tile;
using tile::fast;

namespace {

/// A matrix in memory of its own, whose lines are its rows (fast::col) or its columns (fast::row), `gap` apart; the
/// first begins `offset` elements behind a multiple of 16 bytes.
template <fast Run, class T>
struct stored {
  index_t rows, cols, line, offset;
  std::vector<T> memory;

  explicit stored(const matrix<T>& values, index_t gap = 0, index_t first = 0)
      : rows(values.rows),
        cols(values.cols),
        line((Run == fast::row ? rows : cols) + gap),
        offset(first),
        memory(offset + line * (Run == fast::row ? cols : rows), guard_value<T>()) {
    put(values);
  }
  index_t at(index_t i, index_t j) const { return offset + (Run == fast::row ? i + j * line : i * line + j); }
  void put(const matrix<T>& values) {
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) memory[at(i, j)] = values(i, j);
  }
  template <class Element>
  tile::operand<Element, tile::strided<Run>> operand() {
    return {memory.data() + offset, {Run == fast::row ? 1 : line, Run == fast::row ? line : 1}, int(rows), int(cols)};
  }
};

template <int Rows, int Cols, bool Chunks, fast RunA, fast RunB, fast RunC, class T>
void check(index_t m, index_t n, index_t k, T beta, index_t gap = 0, index_t offset = 0) {
  const matrix<T> a = random_matrix<T>(m, k, numbers::unit, 1), b = random_matrix<T>(k, n, numbers::unit, 2),
                  c = random_matrix<T>(m, n, beta == T(0) ? numbers::nan : numbers::unit, 3);
  stored<RunA, T> A(a);
  stored<RunB, T> Bt(abax::reference::transpose(b));
  stored<RunC, T> C(c, gap, offset), want(abax::reference::gemm('N', 'N', T(1.25), a, b, beta, c), gap, offset);
  const auto a_operand = A.template operand<const T>();
  const auto b_operand = Bt.template operand<const T>();
  const auto c_operand = C.template operand<T>();
  CAPTURE(Rows, Cols, Chunks, int(RunA), int(RunB), int(RunC), m, n, k, beta, gap, offset);
  if (Chunks) REQUIRE(abax::team::have_chunks(a_operand, b_operand));
  const int row_tiles = int(tile::ceil_div(m, index_t(Rows))), col_tiles = int(tile::ceil_div(n, index_t(Cols)));
  for (int col = 0; col < col_tiles; ++col)
    for (int row = 0; row < row_tiles; ++row)
      tile::register_tile<Chunks, Rows, Cols>(
          a_operand, b_operand, c_operand, tile::epilogue<T>{T(1.25), beta},
          abax::team::spread_of<Rows, Chunks, decltype(a_operand)>(row, row_tiles, int(m)),
          abax::team::spread_of<Cols, Chunks, decltype(b_operand)>(col, col_tiles, int(n)));
  REQUIRE(difference(C.memory.data(), want.memory.data(), index_t(want.memory.size()),
                     [](index_t e) { return "element " + std::to_string(e) + " of C's memory"; }) == "");
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
  check_sizes<2, 2, fast::row, fast::col, fast::row, TestType>();
}
