// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The chains of a gemv's team, and how its A lies in scratch for them.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/mma.hpp"
#include "abax/detail/backends/cuda/scratch_lines.hpp"
#include "abax/detail/backends/cuda/shifted_copy.hpp"
#include "abax/detail/backends/cuda/tile_copy.hpp"
#include "abax/detail/tile/banks.hpp"

namespace abax::cuda {

/// A stage of a gemv's A in scratch, so that lanes reading terms of outputs of their own meet all banks: [term][output]
/// where outputs lie along memory, else [output][term]. Aligned: lines of A begin on 16 bytes, and are copied so.
/// Exchanges: lines are exchanged_lines, for lanes that read several of them at once.
template <class T, along A, bool Aligned, int Rows, int Depth, int Threads, bool Exchanges = A == along::terms>
struct vector_stage {
  static constexpr int wide = 16 / sizeof(T);
  static constexpr int length = A == along::outer ? Rows : Depth, elements = Rows * Depth;
  using lines = std::conditional_t<Exchanges, exchanged_lines<T, length>, scratch_lines<length>>;

  struct copy_type : tile_copy<T, A, Aligned ? wide : 1, Rows, Depth, Threads> {
    using base = tile_copy<T, A, Aligned ? wide : 1, Rows, Depth, Threads>;
    using base::base;
    KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms, int) { base::template copy<lines>(scratch, terms); }
  };

  /// Where term q of output `output` is.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int output, int q) {
    return A == along::outer ? lines::offset(q, output) : lines::offset(output, q);
  }

  /// What one lane, whose chain has output `output`, finds there.
  class lane {
   public:
    KOKKOS_FORCEINLINE_FUNCTION lane(const tile::matrix<const T>&, int output) : output_(output) {}
    KOKKOS_FORCEINLINE_FUNCTION int offset(int q) const { return vector_stage::offset(output_, q); }
    /// Terms q to q + wide; q is a multiple of that.
    KOKKOS_FORCEINLINE_FUNCTION pack<T, wide> chunk(const T* stage, int q) const {
      if constexpr (A == along::terms) {
        return *reinterpret_cast<const pack<T, wide>*>(stage + offset(q));
      } else {
        pack<T, wide> terms;
#pragma unroll
        for (int v = 0; v < wide; ++v) terms.element[v] = stage[offset(q + v)];
        return terms;
      }
    }

   private:
    int output_;
  };

  // Lanes beyond Rows read what the first ones do.
  static constexpr bool free_of_conflicts() {
    constexpr int width = A == along::outer ? sizeof(T) : 16, step = A == along::outer ? 1 : wide;
    bool all = true;
    for (int q = 0; q < 8 * step; q += step)
      all = all && tile::banks::free_of_conflicts(width, [=](int l) { return sizeof(T) * offset(l % Rows, q); });
    return all;
  }
};

template <class T, int Rows, int Depth, int Threads>
struct vector_stage<T, along::terms, false, Rows, Depth, Threads, true> {
  static constexpr int wide = 16 / sizeof(T);
  using copy_type = shifted_copy<T, Rows, Depth, Threads>;
  static constexpr int elements = copy_type::elements;

  /// Where term q of output `output` is in a line that is not shifted. In double, every second line is shifted alike.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset(int output, int q) { return copy_type::start(output) + q; }

  class lane {
   public:
    KOKKOS_FORCEINLINE_FUNCTION lane(const tile::matrix<const T>& a, int output)
        : begin_(copy_type::start(output) + copy_type::shift(a, output)) {}
    KOKKOS_FORCEINLINE_FUNCTION int offset(int q) const { return begin_ + q; }
    KOKKOS_FORCEINLINE_FUNCTION pack<T, wide> chunk(const T* stage, int q) const {
      pack<T, wide> terms;
#pragma unroll
      for (int v = 0; v < wide; ++v) terms.element[v] = stage[begin_ + q + v];
      return terms;
    }

   private:
    int begin_;
  };

  // Where each line is shifted by one more or one less than the one before. Where the distance of lines is such that
  // they are shifted alike, up to `wide` lanes meet in a bank.
  static constexpr bool free_of_conflicts() {
    bool all = true;
    for (int q = 0; q < 2 * wide; ++q)
      for (int by = 1; by < wide; by += 2)
        all = all && tile::banks::free_of_conflicts(sizeof(T), [=](int l) {
                const int line = l % Rows;
                return sizeof(T) * (copy_type::start(line) + line * by % wide + q);
              });
    return all;
  }
};

/// A stage of a gemv's A whose elements come one by one to [output][term], however A lies: for chains that would
/// otherwise read single terms, and wait for them.
template <class T, along A, int Rows, int Depth, int Threads>
struct term_stage : vector_stage<T, along::terms, true, Rows, Depth, Threads> {
  using in_scratch = typename vector_stage<T, along::terms, true, Rows, Depth, Threads>::lines;
  using lines = std::conditional_t<A == along::terms, in_scratch, lines_across<in_scratch, Rows>>;

  struct copy_type : tile_copy<T, A, 1, Rows, Depth, Threads> {
    using base = tile_copy<T, A, 1, Rows, Depth, Threads>;
    using base::base;
    KOKKOS_FORCEINLINE_FUNCTION void copy(T* scratch, int terms, int) { base::template copy<lines>(scratch, terms); }
  };
};

/// A chain's way through a stage of Depth terms, in groups of Terms: each is read, by load(its first term), before the
/// one that precedes it is multiplied, by take(group). `next` holds the first group; `advance` puts the next stage's
/// there.
template <int Depth, int Terms, class Group, class Load, class Advance, class Take>
KOKKOS_FORCEINLINE_FUNCTION void for_each_group(Group& next, const Load& load, const Advance& advance,
                                                const Take& take) {
  static_assert(Depth % Terms == 0);
#pragma unroll
  for (int q = 0; q < Depth; q += Terms) {
    const Group now = next;
    if (q + Terms < Depth)
      next = load(q + Terms);
    else
      advance();
    take(now);
  }
}

/// One output a lane, on the FMA units. Lanes that are too many repeat the first ones' outputs.
template <class T, class Stage, int Rows, int Depth>
class chain_of_lanes {
  static constexpr int wide = 16 / sizeof(T);

 public:
  using stage_of_a = Stage;
  static constexpr int threads = (Rows + 31) / 32 * 32;

  KOKKOS_FORCEINLINE_FUNCTION chain_of_lanes(const auto& /* problem */, const tile::matrix<const T>& a, int thread)
      : lane_(a, thread % Rows) {}

  KOKKOS_FORCEINLINE_FUNCTION void clear() { part_ = T(0); }
  /// By all threads of the chains, as all that follows: loads the first terms of a stage, of A from `a` on and of x
  /// from `x` on. Of a stage that is not whole they need not exist.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* a, const T* x) { next_ = load(a, x, 0); }
  /// part <- part + the terms of that stage, all of which exist. `advance` begins the next one, once all of this one is
  /// loaded.
  template <class Advance>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const T* a, const T* x, const Advance& advance) {
    for_each_group<Depth, group_terms>(
        next_, [&](int q) { return load(a, x, q); }, advance,
        [this](const group& now) {
#pragma unroll
          for (int g = 0; g < group_packs; ++g)
#pragma unroll
            for (int v = 0; v < wide; ++v) part_ = Kokkos::fma(now.a[g].element[v], now.x[g].element[v], part_);
        });
  }
  /// The same where only `terms` exist, and no stage follows.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add_part(const T* a, const T* x, int terms) {
#pragma unroll 4
    for (int q = 0; q < terms; ++q) part_ = Kokkos::fma(a[lane_.offset(q)], x[q], part_);
  }
  /// Of output `thread`; by all threads of the team.
  KOKKOS_FORCEINLINE_FUNCTION T sum() const { return part_; }

 private:
  static constexpr int group_packs = 4, group_terms = group_packs * wide;
  struct group {
    pack<T, wide> a[group_packs], x[group_packs];
  };
  KOKKOS_FORCEINLINE_FUNCTION group load(const T* a, const T* x, int q) const {
    static_assert(stage_of_a::free_of_conflicts());
    group to;
#pragma unroll
    for (int g = 0; g < group_packs; ++g, q += wide) {
      to.x[g] = *reinterpret_cast<const pack<T, wide>*>(x + q);
      to.a[g] = lane_.chunk(a, q);
    }
    return to;
  }

  typename stage_of_a::lane lane_;
  group next_;
  T part_ = 0;
};

template <class T, along A, bool Aligned, int Rows, int Depth, int LoadThreads>
using lane_chain = chain_of_lanes<T, vector_stage<T, A, Aligned, Rows, Depth, LoadThreads>, Rows, Depth>;
template <class T, along A, bool Aligned, int Rows, int Depth, int LoadThreads>
using term_chain = chain_of_lanes<T, term_stage<T, A, Rows, Depth, LoadThreads>, Rows, Depth>;

/// Sixteen outputs a warp, on the FP64 tensor cores: x stands in all eight columns of their b. Their chains take fewer
/// cycles a term than the FMA units' do: 5.1 of an H200, from registers.
template <class T, along A, bool Aligned, int Rows, int Depth, int LoadThreads>
class tensor_chain {
  static_assert(sizeof(T) == 8 && Rows == 16);

 public:
  using stage_of_a = vector_stage<T, A, Aligned, Rows, Depth, LoadThreads, true>;
  static constexpr int threads = 32;

  KOKKOS_FORCEINLINE_FUNCTION tensor_chain(const auto& /* problem */, const tile::matrix<const T>& a, int thread)
      : lane_(thread % 32), low_(a, first_of(lane_ / 4)), high_(a, first_of(lane_ / 4) + 1) {}

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
#pragma unroll
    for (T& part : part_) part = 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin(const T* a, const T* x) { next_ = load<true>(a, x, 0, Depth); }
  template <class Advance>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(const T* a, const T* x, const Advance& advance) {
    for_each_group<Depth, group_terms>(
        next_, [&](int q) { return load<true>(a, x, q, Depth); }, advance,
        [this](const group& now) { mma(part_, now.a, now.x); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add_part(const T* a, const T* x, int terms) {
#pragma unroll 1
    for (int q = 0; q < terms; q += group_terms) {
      const group now = load<false>(a, x, q, terms);
      mma(part_, now.a, now.x);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T sum() const {
#ifdef __CUDA_ARCH__
    const int output = lane_ % Rows, holder = 4 * group_of(output);
    const T low = __shfl_sync(~0u, part_[0], holder), high = __shfl_sync(~0u, part_[2], holder);
    return output % 2 == 0 ? low : high;
#else
    return part_[0];  // never runs: lanes are a GPU's
#endif
  }

 private:
  static constexpr int group_terms = 16;
  struct group {
    T a[8], x[4];
  };

  // Lanes 4 g to 4 g + 3 hold outputs first_of(g) and the next. Where outputs lie side by side, those of neighbouring g
  // are eight apart, so that a quarter of a warp finds its pairs, of two g and four terms, in distinct banks.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first_of(int g) {
    return A == along::outer ? g / 2 * 2 + g % 2 * 8 : 2 * g;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int group_of(int output) {
    return A == along::outer ? output % 8 / 2 * 2 + output / 8 : output / 2;
  }
  static constexpr bool free_of_conflicts() {
    bool all = true;
    for (int i = 0; i < Depth / 4; ++i)
      for (int h = 0; h < (A == along::outer ? 1 : 2); ++h)
        all = all && tile::banks::free_of_conflicts(A == along::outer ? 16 : 8, [=](int l) {
                return 8 * stage_of_a::offset(first_of(l / 4) + h, 4 * i + l % 4);
              });
    return all;
  }

  // Terms q to q + 16. Beyond `terms` stands the pair (+0, -0), which leaves every sum as it is, -0 included.
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION group load(const T* a, const T* x, int q, int terms) const {
    static_assert(free_of_conflicts());
    group to;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int term = q + 4 * i + lane_ % 4;
      const bool in = Whole || term < terms;
      pack<T, 2> two;
      if constexpr (A == along::outer)
        two = *reinterpret_cast<const pack<T, 2>*>(a + low_.offset(term));
      else
        two = {a[low_.offset(term)], a[high_.offset(term)]};
      to.a[2 * i] = in ? two.element[0] : T(0);
      to.a[2 * i + 1] = in ? two.element[1] : T(0);
      to.x[i] = in ? x[term] : -T(0);
    }
    return to;
  }

  int lane_;
  typename stage_of_a::lane low_, high_;  // its outputs' lines
  group next_;
  T part_[4] = {};
};

}  // namespace abax::cuda
