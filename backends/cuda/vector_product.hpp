// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// gemv primitives: A streams through scratch, a lane runs the chain of one output.
#include <Kokkos_Core.hpp>

#include "backends/cuda/operand.hpp"
#include "backends/cuda/scratch.hpp"
#include "tile/banks.hpp"
#include "tile/product.hpp"

namespace abax::cuda {

/// A team owns Rows outputs, one to a thread of its first warps. Chains are long and few, so what counts is bytes in
/// flight: the other warps, the loaders, keep a ring of stages flying while the first multiply.
/// Scratch: A as [term][output] where outputs lie along memory, else as [output][term], its chunks exchanged (Width > 1)
/// or its lines padded by 16 bytes, so that lanes reading 16 bytes down their own lines meet all banks; then x.
template <class T, along A, int Width, int Rows, int Depth, int Stages, int Loaders, int Residents, class Team>
class vector_product {
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int chain_threads = (Rows + 31) / 32 * 32, load_threads = 32 * Loaders;
  static constexpr bool exchanges = A == along::terms && Width > 1;
  static constexpr int ld = A == along::outer ? Rows : Depth + (exchanges ? 0 : wide);
  static constexpr int size_a = ld * (A == along::outer ? Depth : Rows);
  static constexpr int stage_elements = size_a + Depth, scratch_elements = Stages * stage_elements;

 public:
  static constexpr int rows = Rows, cols = 1;
  static constexpr int team_size = chain_threads + load_threads, residents = Residents;

  struct parameters {};

  static constexpr std::size_t most_scratch = sizeof(T) * scratch_elements + scratch_slack;
  static std::size_t scratch_bytes(const parameters&) { return most_scratch; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION vector_product(const Team& team, const parameters&, const tile::product<T>& problem,
                                             int row_tile, int)
      : thread_(team.team_rank()),
        loader_(thread_ - chain_threads),
        epilogue_(problem.epilogue),
        a_(problem.a.block(index_t(row_tile) * rows, 0, rows, problem.a.cols), tile::max(loader_, 0)),
        x_{problem.b.data, problem.b.rows, problem.b.row_stride},
        y_(problem.c.block(index_t(row_tile) * rows, 0, rows, 1)),
        scratch_(take_scratch<T>(team, scratch_elements)) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int depth() { return Depth; }

  struct stage_type {
    const T* a;  // [term][output] or [output][term], lines ld apart
    const T* x;  // (Depth)
  };

  KOKKOS_FORCEINLINE_FUNCTION void start(const Team&, index_t begin, index_t end) {
    if (loader_ < 0) return;
    a_.skip(begin);
    x_.data += begin * x_.stride;
    to_fetch_.start(begin, end);
#pragma unroll 1
    for (int s = 0; s < Stages - 1; ++s) fetch(s);
  }
  KOKKOS_FORCEINLINE_FUNCTION stage_type stage(const Team& team) {
    wait_copies<Stages - 2>();
    team.team_barrier();  // this stage is whole, and nobody still reads the one that is filled next
    const T* const ready = scratch_ + current_ * stage_elements;
    if (loader_ >= 0) fetch(current_ == 0 ? Stages - 1 : current_ - 1);
    current_ = current_ + 1 == Stages ? 0 : current_ + 1;
    return {ready, ready + size_a};
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear() { part_ = T(0); }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    if (thread_ >= Rows) return;
    const T* const a = stage.a + (A == along::outer ? thread_ : thread_ * ld);
    if (terms == Depth) {
      group next = load_group(a, stage.x, 0, thread_);
#pragma unroll
      for (int q = 0; q < Depth; q += group_terms) {
        const group now = next;
        if (q + group_terms < Depth) next = load_group(a, stage.x, q + group_terms, thread_);
#pragma unroll
        for (int g = 0; g < group_packs; ++g)
#pragma unroll
          for (int v = 0; v < wide; ++v) part_ = Kokkos::fma(now.a[g].element[v], now.x[g].element[v], part_);
      }
    } else {
#pragma unroll 4
      for (int q = 0; q < terms; ++q) {
        const int at = A == along::outer ? q * ld : exchanges ? exchanged<T>(thread_, q) : q;
        part_ = Kokkos::fma(a[at], stage.x[q], part_);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fold(bool first, bool) { total_ = first ? part_ : total_ + part_; }
  KOKKOS_FORCEINLINE_FUNCTION void save(const Team&, T* sums) const {
    if (thread_ < rows) sums[thread_] = part_;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team&, const T* sums) {
    if (thread_ < rows) part_ = sums[thread_];
  }
  /// By way of scratch, free by now: the additions follow at their own latency instead of memory's.
  KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    constexpr int window = Stages * stage_elements / Rows;
    for (int w = 0; w < blocks; w += window) {
      const int here = tile::min(window, blocks - w);
      team.team_barrier();
      for (int e = thread_ * wide; e < here * Rows; e += team_size * wide)
        copy_async<16>(scratch_ + e, sums + index_t(w) * Rows + e);
      commit_copies();
      wait_copies<0>();
      team.team_barrier();
      if (thread_ < Rows) {
        const T* const at = scratch_ + thread_;
        total_ = w == 0 ? *at : total_ + *at;
#pragma unroll 16
        for (int b = 1; b < here; ++b) total_ = total_ + at[b * Rows];
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
    if (thread_ < y_.rows) y_(thread_, 0) = epilogue_(total_, &y_(thread_, 0));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    if (thread_ < y_.rows) y_(thread_, 0) = epilogue_.without_product(&y_(thread_, 0));
  }

 private:
  // Terms are read from scratch one group ahead of their multiplication.
  static constexpr int group_packs = 4, group_terms = group_packs * wide;
  static_assert(Depth % group_terms == 0);
  struct group {
    pack<T, wide> a[group_packs], x[group_packs];
  };
  // Lanes without an output, where Rows < 32, read nothing; here they stand for one that does.
  static constexpr bool conflict_free() {
    if (A == along::outer)
      return tile::banks::free_of_conflicts(sizeof(T), [](int l) { return sizeof(T) * (l % Rows); });
    bool all = true;
    for (int q = 0; q < 8 * wide; q += wide)
      all = all && tile::banks::free_of_conflicts(16, [=](int l) {
              const int line = l % Rows;
              return sizeof(T) * (line * ld + (exchanges ? exchanged<T>(line, q) : q));
            });
    return all;
  }
  KOKKOS_FORCEINLINE_FUNCTION static group load_group(const T* a, const T* x, int q, int line) {
    static_assert(conflict_free());
    group to;
#pragma unroll
    for (int g = 0; g < group_packs; ++g, q += wide) {
      to.x[g] = *reinterpret_cast<const pack<T, wide>*>(x + q);
      if constexpr (A == along::terms) {
        to.a[g] = *reinterpret_cast<const pack<T, wide>*>(a + (exchanges ? exchanged<T>(line, q) : q));
      } else {
#pragma unroll
        for (int v = 0; v < wide; ++v) to.a[g].element[v] = a[(q + v) * ld];
      }
    }
    return to;
  }

  /// By the loaders.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int buffer) {
    if (to_fetch_.left > 0) {
      const int terms = to_fetch_.terms();
      --to_fetch_.left;
      T* const to = scratch_ + buffer * stage_elements;
      a_.template copy<ld, exchanges>(to, terms);
      for (int q = loader_ * Width; q < terms; q += load_threads * Width)
        copy_async<Width * sizeof(T)>(to + size_a + q, &x_(q),
                                      tile::min(terms - q, Width) * static_cast<int>(sizeof(T)));
      x_.data += Depth * x_.stride;
    }
    commit_copies();  // also an empty group: waiting counts groups
  }

  int thread_, loader_;  // loader_ < 0: runs a chain
  int current_ = 0;
  stages_to_fetch<Depth> to_fetch_;
  tile::epilogue<T> epilogue_;
  operand<T, A, Width, Rows, Depth, load_threads> a_;
  tile::vector<const T> x_;
  tile::matrix<T> y_;
  T* scratch_;
  T part_ = 0, total_ = 0;
};

/// Many outputs: a thread owns Width of them, side by side in memory, and takes their terms straight from there to
/// registers, Depth loads in flight. No scratch, no barrier; the threads of a multiprocessor together cover the latency.
template <class T, int Width, int Rows, int Depth, class Team>
class column_product {
 public:
  static constexpr int rows = Rows, cols = 1;
  static constexpr int team_size = Rows / Width, residents = 512 / team_size;

  struct parameters {};

  static constexpr std::size_t most_scratch = 0;
  static std::size_t scratch_bytes(const parameters&) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t elements() { return rows; }
  static index_t elements(const parameters&) { return elements(); }

  KOKKOS_FORCEINLINE_FUNCTION column_product(const Team& team, const parameters&, const tile::product<T>& problem,
                                             int row_tile, int)
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
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team&) const {
#pragma unroll
    for (int v = 0; v < Width; ++v)
      if (v < mine_) {
        T* const y = &problem_.c(first_ + v, 0);
        *y = problem_.epilogue(total_.element[v], y);
      }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_without_product(const Team&) const {
    for (int v = 0; v < mine_; ++v) {
      T* const y = &problem_.c(first_ + v, 0);
      *y = problem_.epilogue.without_product(y);
    }
  }

 private:
  using group = pack<T, Width>;

  index_t first_;
  int mine_;
  const tile::product<T>& problem_;
  stage_type next_;
  group part_, total_;
};

}  // namespace abax::cuda
