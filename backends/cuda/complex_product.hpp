// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemm primitives for complex elements: a ring of scratch stages filled by cp.async, element by element.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/complex_fragments.hpp"
#include "abax/detail/backends/cuda/epilogue.hpp"
#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/tile_copy.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// The factors of a product, the right one as its transpose, in the caller's order, in which the canon's complex terms
/// are made: turned back where the product is turned, unless it is `kept`.
template <class T>
struct factors {
  bool turned_back;
  tile::matrix<const T> left, right;
  conjugations conjugated;

  KOKKOS_FORCEINLINE_FUNCTION explicit factors(const tile::product<T>& p, bool kept)
      : turned_back(p.turned && !kept),
        left(turned_back ? p.b.transposed() : p.a),
        right(turned_back ? p.a : p.b.transposed()),
        conjugated{turned_back ? p.conjugated_b : p.conjugated_a, turned_back ? p.conjugated_a : p.conjugated_b} {}
};

/// `Engine` multiplies what lies in scratch (complex_fragments.hpp). Left and Right say which index of the factors runs
/// along memory, the caller's left factor and the transpose of the right one; elements are copied one by one, so that
/// nothing is asked of their strides.
template <class Engine, along Left, along Right, class Team, class Functor = tile::no_functor>
class complex_product {
  using T = typename Engine::element;
  static constexpr int outputs = Engine::outputs, Depth = Engine::depth;
  using stage_of_factors = typename Engine::template stage<Left, Right>;

 public:
  static constexpr int rows = Engine::rows, cols = Engine::cols;  // of the caller's tile
  static constexpr int team_size = Engine::team_size, residents = Engine::residents;
  static constexpr bool multiplies_turned = Engine::multiplies_turned, on_tensor_cores = Engine::on_tensor_cores;
  /// Whether elements of A and B are copied as one, and must lie on multiples of their size.
  static constexpr bool copies_elements = std::is_same_v<typename Engine::stored, T>;

  template <class Other>
  using ending_in = complex_product<Engine, Left, Right, Team, Other>;
  using parameters = product_parameters;
  /// Joins block sums of this tile: how the operands lay is over by then.
  using joiner = std::conditional_t<Left == along::either, complex_product,
                                    complex_product<Engine, along::outer, along::outer, Team>>;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters& p) { return sizeof(T) * scratch_elements(p) + scratch_slack; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows * cols; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION complex_product(const Team& team, const parameters& parameters,
                                              const tile::product<T, Functor>& problem, int row_tile, int col_tile)
      : thread_(team.team_rank()),
        problem_(problem),
        row_tile_(row_tile),
        col_tile_(col_tile),
        left_(lines_of(factors_of(problem).left, turns_back() ? col_tile : row_tile, rows), thread_),
        right_(lines_of(factors_of(problem).right, turns_back() ? row_tile : col_tile, cols), thread_),
        engine_(thread_, {factors_of(problem).conjugated, problem.turned}),
        scratch_(computed_once(take_scratch<T>(team, scratch_elements(parameters)))),
        ring_(scratch_) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  using stage_type = int;  // where it begins in scratch

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team& team, index_t begin, index_t end) {
    left_.skip(begin);
    right_.skip(begin);
    to_fetch_.start(begin, end);
    ring_.start([&](T* to) { fetch(to); });
    prefetch_output<team_size>(thread_, turned_output(), problem_.epilogue, begin, end);
    advance(team);
  }

  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) const { return ready_; }

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    each_part([](real& x, int) { x = 0; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team& team, stage_type stage, int terms) {
    if (terms == Depth)
      engine_.multiply(factors_at(stage), [&] { advance(team); });
    else
      engine_.multiply_rest(factors_at(stage), terms);
  }
  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool last) {
    real* const total = reinterpret_cast<real*>(scratch_ + ring_type::elements) + thread_;
    if (!first) each_part([=](real& x, int i) { x = total[i * team_size] + x; });
    if (!last) each_part([=](real& x, int i) { total[i * team_size] = x; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) {
    real* const to = reinterpret_cast<real*>(sums) + thread_;
    each_part([=](real& x, int i) { to[i * team_size] = x; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const Team&, const T* sums, int blocks) {
    each_part([](real& x, int) { x = -real(0); });  // -0 + s is s, whatever s
    // Blocks whose sums are on their way at a time: more would take the registers that outputs leave.
    constexpr int batch = tile::max(1, 128 / int(sizeof(real) * outputs));
    int block = 0;
#pragma unroll 1
    for (; block + batch <= blocks; block += batch) join_some<batch>(sums + block * elements());
#pragma unroll 1
    for (; block < blocks; ++block) join_some<1>(sums + block * elements());
  }

  // By way of scratch, a strip of each warp's columns after another: little code, and lanes that run along memory.
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team) {
    const tile::matrix<T> c = turns_back() ? turned_output().transposed() : turned_output();
#pragma unroll
    for (int t = 0; t < Engine::strips; ++t) {
      barrier(team);  // no thread reads scratch any longer
#pragma unroll
      for (int e = 0; e < outputs; ++e)
        if (Engine::strip_of(e) == t) {
          real* const at = strip() + engine_.col_in_strip(e) * strip_ld + engine_.row_of(e);
          at[0] = engine_.part(e, 0);
          at[strip_cols * strip_ld] = engine_.part(e, 1);
        }
      barrier(team);
      if (problem_.epilogue.beta == T(0))
        store_strip<false>(c, t);
      else
        store_strip<true>(c, t);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    cuda::store_without_product<team_size>(thread_, turned_output(), problem_, first_row(), first_col());
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static factors<T> factors_of(const tile::product<T>& p) {
    return factors<T>(p, Engine::multiplies_turned);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool turns_back() const { return problem_.turned && !Engine::multiplies_turned; }

  using real = tile::real_of<T>;
  // take(part, number) for the parts of all outputs: a sum lies in memory as [number][thread].
  template <class Take>
  KOKKOS_FORCEINLINE_FUNCTION void each_part(const Take& take) {
#pragma unroll
    for (int i = 0; i < 2 * outputs; ++i) take(engine_.part(i / 2, i % 2), i);
  }

  using stored = typename Engine::stored;
  using left_lines = typename Engine::template left_lines<Left>;
  using right_lines = typename Engine::template right_lines<Right>;
  using ring_type = ring<T, Engine::stages, Engine::left_size + Engine::right_size>;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t scratch_elements(const parameters& p) {
    return ring_type::elements + (p.several_blocks ? outputs * team_size : 0);
  }

  template <int Blocks>
  KOKKOS_FORCEINLINE_FUNCTION void join_some(const T* sums) {
    const real* const from = reinterpret_cast<const real*>(sums) + thread_;
    if constexpr (Blocks == 1) {
      each_part([=](real& x, int i) { x = x + from[i * team_size]; });
    } else {
      real next[Blocks][2 * outputs];
#pragma unroll
      for (int b = 0; b < Blocks; ++b)
#pragma unroll
        for (int i = 0; i < 2 * outputs; ++i) next[b][i] = from[2 * b * elements() + i * team_size];
#pragma unroll
      for (int b = 0; b < Blocks; ++b) each_part([&](real& x, int i) { x = x + next[b][i]; });
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static tile::matrix<const T> lines_of(const tile::matrix<const T>& factor, int tile,
                                                                    int count) {
    return factor.block(index_t(tile) * count, 0, count, factor.cols);
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_of_factors factors_at(stage_type stage) const {
    const auto* const left = reinterpret_cast<const stored*>(ring_.at(stage));
    return {left, left + Engine::left_size * (sizeof(T) / sizeof(stored))};
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch(T* to) {
    const int terms = to_fetch_.take();
    left_.template copy_existing<left_lines>(reinterpret_cast<stored*>(to), terms);
    right_.template copy_existing<right_lines>(reinterpret_cast<stored*>(to + Engine::left_size), terms);
  }
  KOKKOS_FORCEINLINE_FUNCTION void conjugate(stored* stage) const {
    const conjugations wanted = factors_of(problem_).conjugated;
    if (wanted.left) left_.template conjugate<left_lines>(stage);
    if (wanted.right) right_.template conjugate<right_lines>(stage + Engine::left_size * (sizeof(T) / sizeof(stored)));
  }
  // The next stage becomes the one that is read, and its first fragments are loaded.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    ready_ = ring_.await(team, [&](T* stage) {
      if constexpr (!Engine::multiplies_conjugates) conjugate(reinterpret_cast<stored*>(stage));
    });
    engine_.begin(factors_at(ready_));
    fetch(ring_.freed(ready_));
    commit_copies();
  }

  // C's tile as the problem has it. Computed when it is needed: held through the main loop it would cost registers.
  KOKKOS_FORCEINLINE_FUNCTION tile::matrix<T> turned_output() const {
    return problem_.c.block(first_row(), first_col(), turns_back() ? cols : rows, turns_back() ? rows : cols);
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t first_row() const { return index_t(row_tile_) * (turns_back() ? cols : rows); }
  KOKKOS_FORCEINLINE_FUNCTION index_t first_col() const { return index_t(col_tile_) * (turns_back() ? rows : cols); }

  // A strip's real parts, then its imaginary ones: pairs that are stored as such would stay side by side in registers,
  // and the main loop's multiply-adds then meet in the banks of the register file. Its columns are strip_ld apart.
  static constexpr int strip_cols = cols / Engine::strips, strip_ld = rows + (sizeof(real) == 4 ? 1 : 4);
  static_assert(strip_cols * strip_ld <= ring_type::elements);
  KOKKOS_FORCEINLINE_FUNCTION real* strip() const { return reinterpret_cast<real*>(scratch_); }

  using whole = pack<real, 2>;
  template <bool Reads>
  KOKKOS_FORCEINLINE_FUNCTION void store_strip(const tile::matrix<T>& c, int t) const {
    constexpr int batch = tile::min(4, rows * strip_cols / team_size);
    static_assert(rows * strip_cols % (batch * team_size) == 0);
    const bool down = c.row_stride == 1, on_elements = lies_on_elements(c);
    const tile::epilogue<T> epilogue{problem_.epilogue.alpha, Reads ? problem_.epilogue.beta : T(0)};
    const auto each = [&](int first, const auto& take) {
#pragma unroll
      for (int x = 0; x < batch; ++x) {
        const int e = first + x * team_size, s = down ? e / rows : e % strip_cols;
        const int row = down ? e % rows : e / strip_cols;
        const int col = Engine::col_of_strip(t, s);
        if (row < c.rows && col < c.cols) take(x, row, col, s);
      }
    };
#pragma unroll 1
    for (int first = thread_; first < rows * strip_cols; first += batch * team_size) {
      T old[batch] = {};  // all of them are loaded before the first is stored, so that the loads overlap
      if constexpr (Reads) each(first, [&](int x, int row, int col, int) { old[x] = c(row, col); });
      each(first, [&](int x, int row, int col, int s) {
        const real* const sum = strip() + s * strip_ld + row;
        const T value = ended(row, col, epilogue(T{sum[0], sum[strip_cols * strip_ld]}, &old[x]));
        if (on_elements)
          *reinterpret_cast<whole*>(&c(row, col)) = {value.re, value.im};
        else
          c(row, col) = value;
      });
    }
  }
  /// What C gets at (row, col) of the caller's tile.
  KOKKOS_FORCEINLINE_FUNCTION T ended(int row, int col, const T& value) const {
    return turns_back() ? problem_.ended(first_row() + col, first_col() + row, value)
                        : problem_.ended(first_row() + row, first_col() + col, value);
  }

  int thread_;
  stages_to_fetch<Depth> to_fetch_;
  const tile::product<T, Functor>& problem_;
  int row_tile_, col_tile_;
  copy_along<T, Left, 1, rows, Depth, team_size> left_;
  copy_along<T, Right, 1, cols, Depth, team_size> right_;
  Engine engine_;
  T* scratch_;
  ring_type ring_;
  stage_type ready_ = 0;
};

}  // namespace abax::cuda
