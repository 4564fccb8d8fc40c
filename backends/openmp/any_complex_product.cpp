// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and dot products of complex numbers by one thread, of any size and strides: as any_product.cpp, by the loops
// of complex values, which are all of panels.
#include <algorithm>

#include "abax/detail/backends/openmp/any_product.hpp"
#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/tile/canon_block.hpp"
#include "abax/detail/tile/reduction_block.hpp"

namespace abax::openmp {
namespace {

using tile::complex;

template <class T>
constexpr index_t block_of = tile::canon_block_of<T>;

/// Memory for complex numbers, which would be zeroed as an array of them.
template <class T, index_t Size>
class buffer {
 public:
  operator T*() { return reinterpret_cast<T*>(parts_); }

 private:
  alignas(64) tile::real_of<T> parts_[2 * Size];
};

/// Buffers for the widest register tile, whose rows hold parts: panels of `depth` terms, sums of `panels` tiles.
template <class T>
struct complex_panels {
  static constexpr index_t depth = 128, panels = 8, cols = most_complex_tile_cols;
  static constexpr index_t rows = most_tile_rows<tile::real_of<T>>;
  buffer<T, rows * depth> a;
  buffer<T, cols * panels * depth> b;
  buffer<T, rows * cols * panels> part, total;
};

/// What is computed of a product: m rows from i on, n columns from j on.
struct outputs {
  index_t i, j, m, n;
};

static_assert(sizeof(complex_panels<complex<double>>) <= 140 << 10);

template <class T>
index_t whole_tiles(const kernel_set<T>& set, index_t m, index_t n) {
  return (m + set.rows - 1) / set.rows * set.rows * ((n + set.cols - 1) / set.cols * set.cols);
}

/// Visits (outputs, sums before them): runs of columns by panels of rows, the order in which sums lie.
template <class T, class Visit>
void each_run(const kernel_set<T>& set, index_t m, index_t n, const Visit& visit) {
  const index_t columns = set.cols * complex_panels<T>::panels;
  index_t before = 0;
  for (index_t j = 0; j < n; j += columns)
    for (index_t i = 0; i < m; i += set.rows) {
      const outputs here{i, j, std::min<index_t>(set.rows, m - i), std::min(columns, n - j)};
      visit(here, before);
      before += whole_tiles<T>(set, set.rows, here.n);
    }
}

template <class T>
void fold(const kernel_set<T>& set, index_t count, const T* part, T* total) {
  set.parts->fold(2 * count, &part->re, &total->re);
}

/// A product whose factors may have changed places: of a complex term the first is then b's element.
template <class T>
struct turnable {
  any_product<T> product;
  bool turned;
};

/// part <- part + terms q to q + depth of these outputs, without the former part if `first`. B's panels are those of
/// the call before unless `packs_b`.
template <class T>
void add_terms(const kernel_set<T>& set, const turnable<T>& t, const outputs& of, index_t q, index_t depth,
               bool packs_b, complex_panels<T>& own, T* part, bool first) {
  const any_product<T>& p = t.product;
  set.pack_rows(of.m, depth, p.a.data + of.i * p.a.row + q * p.a.col, p.a.row, p.a.col, p.conjugated_a, own.a);
  if (packs_b)
    set.pack_cols(of.n, depth, p.b.data + q * p.b.row + of.j * p.b.col, p.b.col, p.b.row, p.conjugated_b, own.b);
  set.multiply_add({.m = of.m,
                    .n = of.n,
                    .depth = depth,
                    .a = own.a,
                    .b = own.b,
                    .stride_b = packed,
                    .next_a = {own.a, 0, 0, 0},
                    .next_b = {own.b, 0, 0, 0},
                    .turned = t.turned},
                   part, first);
}

template <class T>
void store_sums(const kernel_set<T>& set, const any_product<T>& p, const outputs& of, const T* sums) {
  set.store(of.m, of.n, sums, {p.alpha, p.beta, p.c.data + of.i * p.c.row + of.j * p.c.col, p.c.row, p.c.col}, {});
}

// Not inlined: the other one's buffers would be taken, too.

template <class T>
[[gnu::noinline]] void by_panels(const kernel_set<T>& set, const turnable<T>& t) {
  complex_panels<T> own;
  T *const total = own.total, *const next = own.part;
  const any_product<T>& p = t.product;
  each_run(set, p.m, p.n, [&](const outputs& of, index_t) {
    for (index_t block = 0; block < p.k; block += block_of<T>) {
      const index_t end = std::min(p.k, block + block_of<T>);
      T* const part = block == 0 ? total : next;
      for (index_t q = block, depth; q < end; q += depth) {
        depth = std::min(own.depth, end - q);
        const bool packs_b = of.i == 0 || p.k > own.depth;  // they stay for all rows where they hold all terms
        add_terms(set, t, of, q, depth, packs_b, own, part, q == block);
      }
      if (block > 0) fold<T>(set, whole_tiles(set, set.rows, of.n), next, total);
    }
    store_sums(set, p, of, total);
  });
}

/// One column, by strips of outputs.
template <class T>
[[gnu::noinline]] void by_strips(const kernel_set<T>& set, const turnable<T>& t) {
  constexpr index_t strip = 1024;
  buffer<T, strip> of_part, of_total;
  buffer<T, block_of<T>> of_x;
  T *const part = of_part, *const total = of_total, *const x = of_x;
  const any_product<T>& p = t.product;
  const bool from_memory = outgrows_caches<T>(p.m, p.k);
  for (index_t i = 0; i < p.m; i += strip) {
    const index_t m = std::min(strip, p.m - i);
    for (index_t block = 0; block < p.k; block += block_of<T>) {
      const index_t depth = std::min(block_of<T>, p.k - block);
      set.copy(depth, 1, p.b.data + block * p.b.row, p.b.row, 0, x, 1, 0);
      if (p.conjugated_b) set.conjugate(depth, 1, x, 1, 0);
      T* const sums = block == 0 ? total : part;
      std::fill_n(sums, m, T{});
      set.multiply_add_vector(m, depth, p.a.data + i * p.a.row + block * p.a.col, p.a.row, p.a.col, from_memory,
                              p.conjugated_a, t.turned, x, sums);
      if (block > 0) fold(set, m, part, total);
    }
    set.store_vector(m, total, p.alpha, p.beta, p.c.data + i * p.c.row, p.c.row);
  }
}

template <class T>
void multiply_any(const any_product<T>& given) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  turnable<T> t{given, false};
  // As the loops want it: C's rows are contiguous, and one column is one of C's.
  if (given.n != 1 && (given.m == 1 || (given.c.row != 1 && given.c.col == 1)))
    t = {{given.n, given.m, given.k, given.b.transposed(), given.a.transposed(), given.c.transposed(), given.alpha,
          given.beta, given.conjugated_b, given.conjugated_a},
         true};
  (t.product.n == 1 ? by_strips<T> : by_panels<T>)(set, t);
}

template <class T>
void add_any(const any_product<T>& stage, T* part, bool first) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  complex_panels<T> own;
  const turnable<T> t{stage, false};
  for (index_t q = 0, depth; q < stage.k; q += depth) {
    depth = std::min(own.depth, stage.k - q);
    each_run(set, stage.m, stage.n, [&](const outputs& of, index_t before) {
      add_terms(set, t, of, q, depth, of.i == 0, own, part + before, first && q == 0);
    });
  }
}

template <class T>
void fold_any(index_t m, index_t n, const T* part, T* total, bool first) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  const index_t count = whole_tiles(set, m, n);
  if (first)
    std::copy_n(part, count, total);
  else
    fold(set, count, part, total);
}

template <class T>
void store_any(const any_product<T>& p, const T* total) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  each_run(set, p.m, p.n, [&](const outputs& of, index_t before) { store_sums(set, p, of, total + before); });
}

/// Elements side by side: where they are, or copied.
template <class T>
const T* side_by_side(const kernel_set<T>& set, index_t n, const T* x, index_t stride, T* to) {
  if (stride == 1) return x;
  set.copy(n, 1, x, stride, 0, to, 1, 0);
  return to;
}

template <class T>
void dot_any(index_t n, const T* x, index_t stride_x, const T* y, index_t stride_y, bool conjugated, T* sum) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  buffer<T, tile::reduction_block / 2> of_x, of_y;
  T *const xs = of_x, *const ys = of_y;
  (conjugated ? set.dotc : set.dotu)(n, side_by_side(set, n, x, stride_x, xs), side_by_side(set, n, y, stride_y, ys),
                                     sum);
}

}  // namespace

void multiply(const any_product<complex<float>>& product) { multiply_any(product); }
void multiply(const any_product<complex<double>>& product) { multiply_any(product); }

void add_stage(const any_product<complex<float>>& stage, complex<float>* part, bool first) {
  add_any(stage, part, first);
}
void add_stage(const any_product<complex<double>>& stage, complex<double>* part, bool first) {
  add_any(stage, part, first);
}
void fold_stages(index_t m, index_t n, const complex<float>* part, complex<float>* total, bool first) {
  fold_any(m, n, part, total, first);
}
void fold_stages(index_t m, index_t n, const complex<double>* part, complex<double>* total, bool first) {
  fold_any(m, n, part, total, first);
}
void store_stages(const any_product<complex<float>>& product, const complex<float>* total) {
  store_any(product, total);
}
void store_stages(const any_product<complex<double>>& product, const complex<double>* total) {
  store_any(product, total);
}

void dot_block(index_t n, const complex<float>* x, index_t stride_x, const complex<float>* y, index_t stride_y,
               bool conjugated, complex<float>* sum) {
  dot_any(n, x, stride_x, y, stride_y, conjugated, sum);
}
void dot_block(index_t n, const complex<double>* x, index_t stride_x, const complex<double>* y, index_t stride_y,
               bool conjugated, complex<double>* sum) {
  dot_any(n, x, stride_x, y, stride_y, conjugated, sum);
}

}  // namespace abax::openmp
