// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch tiles: no conflicts in any access that they declare, elements where they say, and sums of their products.
#include <Kokkos_Core.hpp>
#include <abax/scratch_tile.hpp>
#include <abax/team.hpp>
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "inputs.hpp"
#include "operands.hpp"
#include "team_kernels.hpp"

using namespace abax::tests;
namespace tile = abax::tile;

namespace {

// Wavefronts, beyond those that the words take, of a copy of the tile: chunks of 16 bytes, one after another.
int copy_conflicts(const tile::scratch_layout& layout, int bytes) {
  const int count = 16 / bytes, steps = layout.length() / count;
  int found = 0;
  for (int first = 0; first < steps * layout.lines(); first += 32) {
    const auto address = [&](int lane) {
      const int line = (first + lane) / steps, at = (first + lane) % steps * count;
      if (line >= layout.lines()) return -1;
      return bytes * (layout.by_columns ? layout.offset(at, line) : layout.offset(line, at));
    };
    found += tile::banks::of(tile::direction::store, 16, address).conflicts();
  }
  return found;
}

// An operand that notes where a thread reads it.
template <class T, tile::fast Run>
struct noted {
  static constexpr tile::fast run = Run;
  static constexpr bool conjugates = false;
  using value = T;
  const tile::scratch_layout* layout;
  const T* memory;
  std::vector<int>* places;
  const T& operator()(int i, int j) const {
    places->push_back(layout->offset(i, j));
    return memory[places->back()];
  }
  const T& load(int i, int j) const { return (*this)(i, j); }
};

// Of the loads that register tiles make of an operand whose rows are the product's rows or, by `columns`, its columns.
template <class T, tile::fast Run, bool Chunks>
int load_conflicts(const tile::scratch_layout& layout, bool columns) {
  constexpr int count = 4, wide = tile::chunk_of<T>, terms = Chunks && Run == tile::fast::col ? wide : 1;
  const int tiles = layout.rows / count;
  const abax::team::tile_grid grid(columns ? 8 : tiles, columns ? tiles : 8);
  const std::vector<tile::chunk<T, wide>> memory(layout.size() / wide + 1);
  int found = 0;
  for (int warp = 0; warp < grid.threads() / 32; ++warp) {
    std::vector<int> places[32];
    for (int lane = 0; lane < 32; ++lane) {
      const int t = warp * 32 + lane;
      if (grid.row(t) >= grid.row_tiles || grid.col(t) >= grid.col_tiles) continue;
      const noted<T, Run> of{&layout, memory[0].element, &places[lane]};
      const auto place =
          abax::team::spread_of<count, Chunks, noted<T, Run>>(columns ? grid.col(t) : grid.row(t), tiles, layout.rows);
      T to[terms][count];
      for (int p = 0; p + terms <= layout.cols; p += terms) tile::load<Chunks>(to, of, p, place);
    }
    for (std::size_t access = 0; access < places[0].size(); ++access) {
      const auto address = [&](int lane) {
        return access < places[lane].size() ? int(sizeof(T)) * places[lane][access] : -1;
      };
      found += tile::banks::of(tile::direction::load, Chunks ? 16 : sizeof(T), address).conflicts();
    }
  }
  return found;
}
template <class T>
int product_conflicts(const tile::scratch_layout& given, bool columns) {
  const tile::scratch_layout layout = columns ? given.transposed() : given;
  const bool chunks = layout.keeps_chunks(tile::chunk_of<T>);
  if (layout.by_columns)
    return chunks ? load_conflicts<T, tile::fast::row, true>(layout, columns)
                  : load_conflicts<T, tile::fast::row, false>(layout, columns);
  return chunks ? load_conflicts<T, tile::fast::col, true>(layout, columns)
                : load_conflicts<T, tile::fast::col, false>(layout, columns);
}

// The same of every access of `how` to the tile: element by element, as a reader of the words would try it.
int conflicts(const tile::scratch_layout& layout, int bytes, abax::access how) {
  using abax::access;
  if (how == access::copy_rows || how == access::copy_columns) return copy_conflicts(layout, bytes);
  if (how == access::multiply_rows || how == access::multiply_columns) {
    const bool columns = how == access::multiply_columns;
    return bytes == 4 ? product_conflicts<float>(layout, columns) : product_conflicts<double>(layout, columns);
  }
  const bool down = how == access::read_columns || how == access::write_columns;
  const int steps = down ? layout.rows : layout.cols, lines = down ? layout.cols : layout.rows;
  int found = 0;
  for (int line = 0; line < lines; line += std::max(1, 32 / steps))
    for (int first = 0; first < steps; first += 32) {
      const auto address = [&](int lane) {
        const int l = line + (steps < 32 ? lane / steps : 0), s = first + (steps < 32 ? lane % steps : lane);
        if (l >= lines || s >= steps || (steps < 32 && lane >= 32 / steps * steps)) return -1;
        return bytes * (down ? layout.offset(s, l) : layout.offset(l, s));
      };
      found += tile::banks::of(tile::direction::store, bytes, address).conflicts();
    }
  return found;
}

template <abax::access... Accesses>
int check_layouts(int bytes) {
  int chosen = 0;
  for (int rows = 1; rows <= 130; rows += rows < 34 ? 1 : 16)
    for (int cols = 1; cols <= 130; cols += cols < 34 ? 1 : 16) {
      const auto layout = tile::conflict_free_layout<Accesses...>(rows, cols, bytes);
      if (layout.rows == 0) continue;
      ++chosen;
      CAPTURE(rows, cols, bytes, layout.ld, layout.by_columns, layout.flip, layout.ways, layout.every);
      std::vector<bool> taken(layout.size());
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
          if (taken.at(layout.offset(i, j))) FAIL("two elements in one place");
          taken[layout.offset(i, j)] = true;
        }
      for (const abax::access how : {Accesses...}) REQUIRE(conflicts(layout, bytes, how) == 0);
    }
  return chosen;
}

}  // namespace

TEST_CASE("Scratch tiles have no conflicts in any access that they declare", "[scratch_tile]") {
  using abax::access;
  const int sizes = 40 * 40;
  for (const int bytes : {4, 8}) {
    CHECK(check_layouts<access::read_rows>(bytes) > 1000);
    CHECK(check_layouts<access::write_rows, access::read_columns>(bytes) > 1000);
    CHECK(check_layouts<access::copy_rows>(bytes) > 100);
    CHECK(check_layouts<access::copy_columns, access::write_columns>(bytes) > 100);
    CHECK(check_layouts<access::copy_rows, access::multiply_rows>(bytes) > 100);
    CHECK(check_layouts<access::copy_rows, access::multiply_columns>(bytes) > 100);
    CHECK(check_layouts<access::copy_rows, access::read_columns>(bytes) < sizes);
  }
  // And they are found where they are.
  CHECK(conflicts({32, 32, 32}, 4, access::multiply_rows) > 0);
  CHECK(conflicts({64, 32, 33}, 8, access::multiply_rows) == 0);
  CHECK(conflicts({32, 64, 64, true}, 8, access::multiply_columns) > 0);
  CHECK(conflicts({32, 32, 32}, 4, access::multiply_columns) == 0);
  CHECK(conflicts({3, 40, 42}, 8, access::copy_rows) > 0);
  constexpr auto none = tile::conflict_free_layout<access::copy_rows, access::read_columns>(32, 32, 4);
  static_assert(none.rows == 0);
  constexpr auto plain = tile::conflict_free_layout<access::copy_rows, access::write_rows>(32, 32, 4);
  static_assert(plain == tile::scratch_layout{32, 32, 32});
  constexpr auto turned = tile::conflict_free_layout<access::write_rows, access::read_columns>(32, 32, 4);
  static_assert(turned.size() == 32 * 32 && turned.ways == 32);  // exchanged, not padded
  constexpr auto product = tile::conflict_free_layout<access::copy_rows, access::multiply_rows>(64, 16, 8);
  static_assert(product.size() == 64 * 16 && product.keeps_chunks(2));
}

namespace {

// What scratch tiles ask of a team's scratch.
template <class T>
struct memory_of_tile {
  std::vector<T> values;
  void* get_shmem_aligned(std::size_t bytes, std::size_t) const {
    REQUIRE(values.size() * sizeof(T) >= bytes);
    return const_cast<T*>(values.data());
  }
};

// Each thread of a team in turn: a tile of C by register sums, in stages of Depth terms, the first of `begun` terms,
// the last shorter.
template <int Edge, int Depth, int Threads, class T>
void check_sums(extents e, numbers kind, index_t begun = Depth) {
  using machine = abax::portable::in_kernel;
  using a_tile = abax::scratch_tile<T, Edge, Depth, abax::access::copy_rows, abax::access::multiply_rows>;
  using b_tile = abax::scratch_tile<T, Depth, Edge, abax::access::copy_rows, abax::access::multiply_columns>;
  using sums_type = abax::team::register_sums<machine, a_tile, b_tile, Threads>;
  const matrix<T> a = random_matrix<T>(e.m, e.k, kind, 2), b = random_matrix<T>(e.k, e.n, kind, 3);
  const matrix<T> before = random_matrix<T>(e.m, e.n, kind, 4);
  const memory_of_tile<T> of_a{std::vector<T>(a_tile::layout.size())}, of_b{std::vector<T>(b_tile::layout.size())};
  const a_tile whole_a(of_a);
  const b_tile whole_b(of_b);
  std::vector<sums_type> sums;
  for (int thread = 0; thread < Threads; ++thread) sums.emplace_back(thread_number{thread});
  for (int p = 0, terms; p < e.k; p += terms) {
    terms = static_cast<int>(std::min<index_t>(p == 0 ? begun : Depth, e.k - p));
    const auto as = abax::team::operand_of<machine>(whole_a.part(static_cast<int>(e.m), terms));
    const auto bs = abax::team::operand_of<machine>(whole_b.part(terms, static_cast<int>(e.n)));
    for (int q = 0; q < terms; ++q) {
      for (int i = 0; i < e.m; ++i) as(i, q) = a(i, p + q);
      for (int j = 0; j < e.n; ++j) bs(q, j) = b(p + q, j);
    }
    for (sums_type& s : sums) s.add(as, bs.transposed());
  }
  const operand<T, Kokkos::DefaultHostExecutionSpace> C(before, odd_left);
  for (sums_type& s : sums)
    s.store(abax::team::operand_of<machine>(C.template view<left>()), tile::epilogue<T>{T(1.25), T(-0.75)});
  CAPTURE(Edge, Depth, Threads, e.m, e.n, e.k, begun);
  REQUIRE(C.difference_from(abax::reference::gemm('N', 'N', T(1.25), a, b, T(-0.75), before)) == "");
}

// Elements of a scratch tile one by one, as of a View.
template <class Tile, class Global>
struct tile_elements {
  Global to;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Tile tile(member.team_scratch(0));
    const int rows = static_cast<int>(tile.extent(0)), cols = static_cast<int>(tile.extent(1));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, rows * cols),
                         [&](int e) { tile(e / cols, e % cols) = static_cast<typename Tile::value_type>(e); });
    member.team_barrier();
    abax::team::copy(member, tile, to);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("Sums that grow by stages have gemm's bits", "[team][bits][sanitizer]", float, double) {
  using T = TestType;
  if constexpr (sizeof(T) == 4) check_sums<64, 16, 64, T>({64, 64, 32}, numbers::unit);
  check_sums<64, 16, 128, T>({64, 64, 64}, numbers::special);
  check_sums<64, 16, 256, T>({61, 37, 49}, numbers::wide);
  check_sums<32, 96, 64, T>({32, 31, 4101}, numbers::vanishing);
  check_sums<32, 32, 256, T>({1, 7, 2049}, numbers::unit);
  check_sums<16, 96, 256, T>({16, 16, 2112}, numbers::subnormal);
  // A block of the canon ends within a stage, at terms that begin no 16 bytes.
  check_sums<32, 32, 256, T>({32, 32, 2100}, numbers::unit, 5);
  check_sums<32, 96, 64, T>({30, 29, 4200}, numbers::special, 1);
  check_sums<64, 16, 256, T>({64, 64, 2061}, numbers::unit, 3);
}

TEMPLATE_TEST_CASE("A scratch tile's elements are where it says", "[scratch_tile]", float, double) {
  using T = TestType;
  for_each_team({7, 32, 33, 128}, [](const auto& exec, int size, int vector) {
    using Exec = std::decay_t<decltype(exec)>;
    using turned_tile = abax::scratch_tile<T, 32, 16, abax::access::write_rows, abax::access::read_columns>;
    using padded_tile = abax::scratch_tile<T, 21, 13, abax::access::write_rows, abax::access::read_columns>;
    const auto check = [&]<class Tile>(std::type_identity<Tile>) {
      const index_t rows = Tile::extent(0), cols = Tile::extent(1);
      matrix<T> want(rows, cols);
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < cols; ++j) want(i, j) = static_cast<T>(i * cols + j);
      const operand<T, Exec> to(random_matrix<T>(rows, cols, numbers::unit, 3), odd_right);
      const auto view = to.template view<right>();
      run_team(exec, size, vector, Tile::shmem_size(), tile_elements<Tile, std::decay_t<decltype(view)>>{view});
      CAPTURE(Exec::name(), size, vector, rows, cols);
      REQUIRE(to.difference_from(want) == "");
    };
    check(std::type_identity<turned_tile>());
    check(std::type_identity<padded_tile>());
  });
}
