// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Reduction, transpose and streaming primitives of a CPU core: thin calls into the SIMD loops.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/openmp/kernels.hpp"
#include "abax/detail/tile/reduction.hpp"
#include "abax/detail/tile/stream.hpp"
#include "abax/detail/tile/transpose.hpp"

namespace abax::openmp {

/// Results of this many bytes outgrow all caches: they are written past them, which spares fetching what is
/// overwritten.
inline constexpr index_t nontemporal_bytes = index_t(32) << 20;

/// Columns of a matrix for which that pays: each is written apart, and waited for.
inline constexpr index_t nontemporal_column_bytes = 4096;

/// Blocks of a reduction that is over before a second core has begun, at most: two levels.
inline constexpr index_t most_blocks_at_once = 16;

template <class T, class Team>
struct reduction {
  struct parameters {
    const kernel_set<T>* loops;
  };
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::dot<T>& k, index_t begin,
                                     index_t end, T* sums) {
    run(p.loops->dot, k.operand[0], k.operand[1], begin, end, sums + begin);
  }
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::sum<T>& k, index_t begin,
                                     index_t end, T* sums) {
    run(p.loops->sum, k.operand[0], k.operand[0], begin, end, sums + begin);
  }
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::asum<T>& k, index_t begin,
                                     index_t end, T* sums) {
    run(p.loops->asum, k.operand[0], k.operand[0], begin, end, sums + begin);
  }
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::nrm2<T>& k, index_t begin,
                                     index_t end, typename tile::nrm2<T>::state* states) {
    static_assert(sizeof(*states) == 3 * sizeof(T));
    run(p.loops->nrm2, k.operand[0], k.operand[0], begin, end, reinterpret_cast<T*>(states + begin));
  }
  /// The first block answers for all of the run.
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters& p, const tile::iamax<T>& k, index_t begin,
                                     index_t end, typename tile::iamax<T>::state* states) {
    using kind = tile::iamax<T>;
    for (index_t b = begin; b < end; ++b) states[b] = kind::none();
    const index_t first = begin * tile::reduction_block;
    const auto x = k.operand[0].block(first, (end - begin) * tile::reduction_block);
    const index_t at = p.loops->iamax(x.size, x.data, x.stride);
    if (at >= 0) states[begin] = {first + at, kind::key_of(x(at))};
  }
  template <class Kernel>
  KOKKOS_FUNCTION static void reduce(const Team&, const parameters&, const tile::block_states<Kernel>& level,
                                     index_t begin, index_t end, typename Kernel::state* states) {
    for (index_t b = begin; b < end; ++b) states[b] = tile::block_state(level, b);
  }

  // All of a reduction of at most `most_blocks_at_once` blocks. In line: the call waits for every step.

  [[gnu::always_inline]] static T reduced(const kernel_set<T>& loops, const tile::dot<T>& k) {
    return k.finish(sum_of(loops, loops.dot, k.operand[0], k.operand[1]));
  }
  [[gnu::always_inline]] static T reduced(const kernel_set<T>& loops, const tile::sum<T>& k) {
    return k.finish(sum_of(loops, loops.sum, k.operand[0], k.operand[0]));
  }
  [[gnu::always_inline]] static T reduced(const kernel_set<T>& loops, const tile::asum<T>& k) {
    return k.finish(sum_of(loops, loops.asum, k.operand[0], k.operand[0]));
  }
  /// Of the three sums the scaled ones are asked for only where the plain one does not serve.
  [[gnu::always_inline]] static T reduced(const kernel_set<T>& loops, const tile::nrm2<T>& k) {
    using kind = tile::nrm2<T>;
    const T plain = sum_of(loops, loops.dot, k.operand[0], k.operand[0]);
    if (kind::is_in_range(plain)) return kind::finish({plain, T(0), T(0)});
    return norm_by_all_sums(loops, k.operand[0]);
  }
  [[gnu::always_inline]] static index_t reduced(const kernel_set<T>& loops, const tile::iamax<T>& k) {
    return loops.iamax(k.operand[0].size, k.operand[0].data, k.operand[0].stride);
  }

 private:
  [[gnu::noinline]] static T norm_by_all_sums(const kernel_set<T>& loops, tile::vector<const T> x) {
    using kind = tile::nrm2<T>;
    typename kind::state states[most_blocks_at_once];
    static_assert(sizeof(states[0]) == 3 * sizeof(T));
    loops.nrm2(x.size, x.data, x.stride, x.data, x.stride, reinterpret_cast<T*>(states));
    const index_t blocks = tile::reduction_blocks(x.size);
    return kind::finish(blocks == 1 ? states[0]
                                    : tile::block_state(tile::block_states<kind>{{{states, blocks, 1}}}, 0));
  }
  [[gnu::always_inline]] static T sum_of(const kernel_set<T>& loops, typename kernel_set<T>::reduction loop,
                                         const tile::vector<const T>& x, const tile::vector<const T>& y) {
    T sums[most_blocks_at_once], all;
    loop(x.size, x.data, x.stride, y.data, y.stride, sums);
    const index_t blocks = tile::reduction_blocks(x.size);
    if (blocks == 1) return sums[0];
    loops.sum(blocks, sums, 1, nullptr, 0, &all);
    return all;
  }
  KOKKOS_FUNCTION static void run(typename kernel_set<T>::reduction loop, const tile::vector<const T>& x,
                                  const tile::vector<const T>& y, index_t begin, index_t end, T* sums) {
    const index_t first = begin * tile::reduction_block, count = (end - begin) * tile::reduction_block;
    const auto xs = x.block(first, count), ys = y.block(first, count);
    loop(xs.size, xs.data, xs.stride, ys.data, ys.stride, sums);
  }
};

template <class T, class Team>
class transpose {
 public:
  struct parameters {
    const kernel_set<T>* loops;
    bool nontemporal;
    int rows, cols;
    static constexpr int skip_rows = 0, skip_cols = 0;
  };
  /// A transpose goes past the caches where the cores' second ones do not hold its source and its result, if all rows
  /// of the result begin at one place within a line of the cache; a copy, from `nontemporal_bytes` on. The source of
  /// both is read a page of each column at a time: their tiles are many pages high, because they begin and end within
  /// one. A result of 24 KB or more that is no tile for each core is cut into a strip for each of them, of 12 KB at
  /// least: a copy's along its columns, a transpose's along its rows, if these are enough, because strips of rows share
  /// no lines.
  static parameters parameters_for(const kernel_set<T>& loops, const tile::matrix<T>& to, index_t cores) {
    constexpr index_t size = sizeof(T), line = 64 / size, least = (index_t(12) << 10) / size;
    const bool copies = to.row_stride == 1;
    const index_t m = to.rows, n = to.cols, elements = m * n, strips = tile::min(cores, elements / least);
    const index_t most = copies ? nontemporal_bytes : tile::min(nontemporal_bytes, cores * second_cache / 2);
    if (elements * size >= most && (copies || (to.col_stride == 1 && to.row_stride % line == 0)))
      return {&loops, true, 8 * 4096 / size, elements * size < 8 * nontemporal_bytes ? 128 : 256};
    if (strips < 2 || elements > strips * 256 * 256) return {&loops, false, 256, 256};
    const auto strip = [strips](index_t side, index_t multiple) {
      return static_cast<int>(tile::ceil_div(side, strips * multiple) * multiple);
    };
    if (copies ? n < strips : m >= 32 * strips || m > n) return {&loops, false, strip(m, 8), static_cast<int>(n)};
    return {&loops, false, static_cast<int>(m), strip(n, copies ? 1 : line)};
  }
  static constexpr int reach = 0;
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION transpose(const Team&, const parameters& parameters) : parameters_(parameters) {}

  KOKKOS_FUNCTION tile::matrix<const T> stage(const Team&, const tile::matrix<const T>& from) { return from; }
  KOKKOS_FUNCTION void store(const Team&, const tile::matrix<const T>& from, const tile::matrix<T>& to, bool) const {
    const auto copy = parameters_.nontemporal ? parameters_.loops->copy_nontemporal : parameters_.loops->copy;
    copy(to.rows, to.cols, from.data, from.row_stride, from.col_stride, to.data, to.row_stride, to.col_stride);
  }

 private:
  const parameters& parameters_;
};

template <class T, class Team>
class in_place_transpose {
 public:
  struct parameters {
    const kernel_set<T>* loops;
    static constexpr int size = 256, skip = 0;
  };
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION in_place_transpose(const Team&, const parameters& parameters) : loops_(*parameters.loops) {}

  KOKKOS_FUNCTION void exchange(const Team&, const tile::matrix<T>& a, const tile::matrix<T>& b) const {
    loops_.exchange(a.rows, a.cols, a.data, a.row_stride, a.col_stride, b.data, b.row_stride, b.col_stride);
  }
  KOKKOS_FUNCTION void turn(const Team&, const tile::matrix<T>& a) const {
    loops_.transpose_square(a.rows, a.data, a.row_stride, a.col_stride);
  }

 private:
  const kernel_set<T>& loops_;
};

/// How many of a stream's `units`, each as much work as `unit` elements, a team takes: no more than `most` elements'
/// work, or one unit; as many for every core where there are more teams than cores.
inline index_t units_of_team(index_t units, index_t unit, index_t most, index_t cores) {
  const index_t teams = tile::ceil_div(units * unit, most);
  const index_t fair = tile::ceil_div(units, teams > cores ? tile::ceil_div(teams, cores) * cores : teams);
  return tile::min(fair, tile::max<index_t>(1, most / unit));
}
/// The work of a column, in elements: every line of the cache that it touches is moved whole, but no more than lies
/// between it and the next column.
template <class T>
index_t work_of_column(const tile::matrix<T>& m) {
  constexpr index_t line = 64 / sizeof(T);
  const auto distance = [](index_t stride) { return stride < 0 ? -stride : stride; };
  const index_t lines = tile::ceil_div(tile::min(distance(m.row_stride), line) * m.rows, line) * line;
  return tile::max(m.rows, tile::min(lines, distance(m.col_stride)));
}

/// The work of a stream, in elements.
template <class Kernel>
index_t work_of(const Kernel& kernel) {
  return kernel.size();
}
template <class T>
index_t work_of(const tile::combine_matrices<T>& kernel) {
  return kernel.z.cols * work_of_column(kernel.z);
}
/// Elements of a team, of `size` that follow one another: some pages.
inline index_t run_of_vector(index_t size, index_t most, index_t cores) {
  constexpr index_t unit = 1024;
  return units_of_team(tile::ceil_div(size, unit), unit, most, cores) * unit;
}
/// Elements of a team: of matrices whole columns, unless one is too much for a team.
template <class Kernel>
index_t run_of(const Kernel& kernel, index_t most, index_t cores) {
  return run_of_vector(kernel.size(), most, cores);
}
template <class T>
index_t run_of(const tile::combine_matrices<T>& kernel, index_t most, index_t cores) {
  const index_t column = work_of_column(kernel.z);
  if (column > most) return run_of_vector(kernel.size(), most, cores);
  return units_of_team(kernel.z.cols, column, most, cores) * kernel.z.rows;
}

template <class T, class Team>
struct stream {
  struct parameters {
    const kernel_set<T>* loops;
    index_t run;  // elements of a team
    bool nontemporal = false;
  };
  static constexpr index_t most = index_t(1) << 15;  // work of a team, in elements
  KOKKOS_FUNCTION static index_t run(const parameters& p) { return p.run; }
  static std::size_t scratch_bytes() { return 0; }

  KOKKOS_FUNCTION static void apply(const Team&, const parameters& p, const tile::combine<T>& k) {
    (p.nontemporal ? p.loops->combine_nontemporal : p.loops->combine)(
        k.size(), k.epilogue.alpha, k.x.data, k.x.stride, k.epilogue.beta, k.y.data, k.y.stride, k.z.data, k.z.stride);
  }
  KOKKOS_FUNCTION static void apply(const Team& team, const parameters& p, const tile::combine_matrices<T>& k) {
    if (k.x.row_stride == 1 && k.y.row_stride == 1 && k.z.row_stride == 1 && !p.nontemporal) {
      const index_t m = k.z.rows, col = k.col_of(0), n = k.col_of(k.count) - col;
      if (col * m == k.first && (col + n) * m == k.first + k.count)
        return p.loops->combine_columns(m, n, k.epilogue.alpha, &k.x(0, col), k.x.col_stride, k.epilogue.beta,
                                        &k.y(0, col), k.y.col_stride, &k.z(0, col), k.z.col_stride);
    }
    k.each_line([&](const tile::combine<T>& line) { apply(team, p, line); });
  }
  KOKKOS_FUNCTION static void apply(const Team&, const parameters& p, const tile::increment<T>& k) {
    p.loops->increment(k.size(), k.value, k.x.data, k.x.stride);
  }
  KOKKOS_FUNCTION static void apply(const Team&, const parameters& p, const tile::copy<T>& k) {
    (p.nontemporal ? p.loops->copy_nontemporal : p.loops->copy)(k.size(), 1, k.x.data, k.x.stride, 0, k.y.data,
                                                                k.y.stride, 0);
  }
};

}  // namespace abax::openmp
