// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemv primitives: A streams through scratch or registers, a chain an output.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/pipeline.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/backends/cuda/vector_chain.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

struct no_parameters {};

/// How a team of a gemv stages A.
struct vector_shape {
  int rows;       ///< outputs of a team
  int bytes;      ///< of an output's terms in a stage
  int stages;     ///< of the ring
  int loaders;    ///< warps that fill it
  int residents;  ///< teams of a multiprocessor
};

/// A team owns Rows outputs, whose chains its first warps run (Chain: lane_chain, term_chain, tensor_chain or
/// part_chain). Chains are long and few, so what counts is bytes in flight: the other warps, the loaders, keep a ring
/// of stages filled while the first multiply. Scratch: a stage of A, then x.
template <class T, along A, bool Aligned, vector_shape Shape, template <class, along, bool, int, int, int> class Chain,
          class Team, class Functor = tile::no_functor>
class vector_product {
  static constexpr int Rows = Shape.rows, Depth = Shape.bytes / int(sizeof(T)), Stages = Shape.stages;
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int load_threads = 32 * Shape.loaders;
  using chain = Chain<T, A, Aligned, Rows, Depth, load_threads>;
  using stage_of_a = typename chain::stage_of_a;
  static constexpr int chain_threads = chain::threads;
  static constexpr int size_a = stage_of_a::elements;

 public:
  static constexpr int rows = Rows, cols = 1;
  static constexpr int team_size = chain_threads + load_threads, residents = Shape.residents;

  template <class Other>
  using ending_in = vector_product<T, A, Aligned, Shape, Chain, Team, Other>;
  using parameters = no_parameters;
  using joiner = void;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters&) { return sizeof(T) * ring_type::elements + scratch_slack; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION vector_product(const Team& team, const parameters&,
                                             const tile::product<T, Functor>& problem, int row_tile, int)
      : thread_(team.team_rank()),
        loader_(thread_ - chain_threads),
        problem_(problem),
        row_tile_(row_tile),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), tile::max(loader_, 0)),
        chain_(problem, problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), thread_),
        x_{problem.b.data, problem.b.rows, problem.b.row_stride},
        x_by_chunks_(wide_access(x_.data, x_.stride, 0)),
        y_(problem.c.block(index_t(row_tile) * rows, 0, rows, 1)),
        ring_(take_scratch<T>(team, ring_type::elements)) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  using stage_type = int;  // where it begins in scratch

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team& team, index_t begin, index_t end) {
    if (loader_ < 0) {
      if (problem_.epilogue.beta != T(0) && thread_ < y_.rows) prefetch(&y_(thread_, 0));
    } else {
      a_.skip(begin);
      x_.data += begin * x_.stride;
      to_fetch_.start(begin, end);
      ring_.start([this](T* to) { fetch(to); });
    }
    advance(team);
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) const { return ready_; }

  KOKKOS_FORCEINLINE_FUNCTION void clear() { chain_.clear(); }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team& team, stage_type stage, int terms) {
    if (loader_ >= 0) {
      if (terms == Depth) advance(team);
    } else {
      const T* const a = ring_.at(stage);
      if (terms == Depth)
        chain_.multiply_add(a, a + size_a, [&] { advance(team); });
      else
        chain_.multiply_add_part(a, a + size_a, terms);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool) {
    const T sum = chain_.sum();
    total_ = first ? sum : total_ + sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
    const T sum = chain_.sum();
    if (thread_ < rows) sums[thread_] = sum;
  }
  /// By way of scratch, free by now: the additions follow at their own latency instead of memory's.
  KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    constexpr int window = ring_type::elements / Rows;
    for (int w = 0; w < blocks; w += window) {
      const int here = tile::min(window, blocks - w);
      barrier_of<team_size>(team);
      for (int e = thread_ * wide; e < here * Rows; e += team_size * wide)
        copy_async<16>(ring_.memory() + e, sums + index_t(w) * Rows + e);
      commit_copies();
      wait_copies<0>();
      barrier_of<team_size>(team);
      if (thread_ < Rows) {
        const T* const at = ring_.memory() + thread_;
        total_ = w == 0 ? *at : total_ + *at;
#pragma unroll 16
        for (int b = 1; b < here; ++b) total_ = total_ + at[b * Rows];
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    if (thread_ < y_.rows) y_(thread_, 0) = problem_.ended(output(), 0, problem_.epilogue(total_, &y_(thread_, 0)));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    if (thread_ < y_.rows) y_(thread_, 0) = problem_.ended_without_product(output(), 0, &y_(thread_, 0));
  }

 private:
  static_assert(Shape.bytes % scratch_slack == 0, "exchanged lines begin on multiples of 128 bytes");
  using ring_type = ring<T, Stages, size_a + Depth, team_size>;

  KOKKOS_FORCEINLINE_FUNCTION index_t output() const { return index_t(row_tile_) * rows + thread_; }
  // The next stage becomes the one that is read, and its first terms are loaded.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team) {
    ready_ = ring_.await(team);
    if (loader_ < 0) {
      chain_.begin(ring_.at(ready_), ring_.at(ready_) + size_a);
    } else {
      fetch(ring_.freed(ready_));
      commit_copies();
    }
  }
  /// By the loaders.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(T* to) {
    if (to_fetch_.left <= 0) return;
    const int terms = to_fetch_.terms();
    --to_fetch_.left;
    a_.copy(to, terms, to_fetch_.left > 0 ? to_fetch_.terms() : 0);
    if (x_by_chunks_)
      for (int q = loader_ * wide; q < terms; q += load_threads * wide)
        copy_chunk_if<wide>(true, to + size_a + q, &x_(q), terms - q);
    else
      for (int q = loader_; q < terms; q += load_threads) copy_async<sizeof(T)>(to + size_a + q, &x_(q));
    x_.data += Depth * x_.stride;
  }

  int thread_, loader_;  // loader_ < 0: runs a chain
  stages_to_fetch<Depth> to_fetch_;
  const tile::product<T, Functor>& problem_;
  int row_tile_;
  typename stage_of_a::copy_type a_;
  chain chain_;
  tile::vector<const T> x_;
  bool x_by_chunks_;
  tile::matrix<T> y_;
  ring_type ring_;
  stage_type ready_ = 0;
  T total_{};
};

/// Many outputs: a thread owns Width of them, side by side in memory, and takes their terms straight from there to
/// registers, Depth loads in flight. No scratch, no barrier; the threads of a multiprocessor together cover the
/// latency.
struct column_shape {
  int width;  ///< outputs of a thread
  int rows;   ///< outputs of a team
  int depth;  ///< loads in flight
};
template <class T, column_shape Shape, class Team, class Functor = tile::no_functor>
class column_product {
  static constexpr int Width = Shape.width, Rows = Shape.rows, Depth = Shape.depth;

 public:
  static constexpr int rows = Rows, cols = 1;
  static constexpr int team_size = Rows / Width, residents = 512 / team_size;

  template <class Other>
  using ending_in = column_product<T, Shape, Team, Other>;
  using parameters = no_parameters;
  using joiner = void;
  static constexpr bool finishes = false;

  static std::size_t scratch_bytes(const parameters&) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION column_product(const Team& team, const parameters&,
                                             const tile::product<T, Functor>& problem, int row_tile, int)
      : first_(index_t(row_tile) * rows + team.team_rank() * Width),
        mine_(static_cast<int>(tile::max<index_t>(0, tile::min<index_t>(Width, problem.c.rows - first_)))),
        problem_(problem) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const T* a;
    const T* x;
  };
  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&, index_t begin, index_t) {
    next_ = {&problem_.a(first_, begin), &problem_.b(begin, 0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team&) {
    const stage_type here = next_;
    next_ = {here.a + Depth * problem_.a.col_stride, here.x + Depth * problem_.b.row_stride};
    return here;
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (int v = 0; v < Width; ++v) part_.element[v] = T(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    const index_t a_stride = problem_.a.col_stride, x_stride = problem_.b.row_stride;
    if (mine_ == Width && terms == Depth) {
      group a[Depth];
      T x[Depth];
#pragma unroll
      for (int q = 0; q < Depth; ++q) a[q] = *reinterpret_cast<const group*>(stage.a + q * a_stride);
#pragma unroll
      for (int q = 0; q < Depth; ++q) x[q] = stage.x[q * x_stride];
#pragma unroll
      for (int q = 0; q < Depth; ++q)
#pragma unroll
        for (int v = 0; v < Width; ++v) part_.element[v] = Kokkos::fma(a[q].element[v], x[q], part_.element[v]);
    } else {
#pragma unroll
      for (int v = 0; v < Width; ++v)
        if (v < mine_)
          for (int q = 0; q < terms; ++q)
            part_.element[v] =
                Kokkos::fma(stage.a[q * a_stride + v * problem_.a.row_stride], stage.x[q * x_stride], part_.element[v]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool) {
#pragma unroll
    for (int v = 0; v < Width; ++v) total_.element[v] = first ? part_.element[v] : total_.element[v] + part_.element[v];
  }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team& team, T* sums) const {
    *reinterpret_cast<group*>(sums + team.team_rank() * Width) = part_;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team, const T* sums) {
    part_ = *reinterpret_cast<const group*>(sums + team.team_rank() * Width);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    tile::join_by_loading(*this, team, sums, blocks);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
#pragma unroll
    for (int v = 0; v < Width; ++v)
      if (v < mine_) {
        T* const y = &problem_.c(first_ + v, 0);
        *y = problem_.ended(first_ + v, 0, problem_.epilogue(total_.element[v], y));
      }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    for (int v = 0; v < mine_; ++v) {
      T* const y = &problem_.c(first_ + v, 0);
      *y = problem_.ended_without_product(first_ + v, 0, y);
    }
  }

 private:
  using group = pack<T, Width>;

  index_t first_;
  int mine_;
  const tile::product<T, Functor>& problem_;
  stage_type next_;
  group part_, total_;
};

}  // namespace abax::cuda
