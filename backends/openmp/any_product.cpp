// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of one thread, of any size and strides.
#include "abax/detail/backends/openmp/any_product.hpp"

#include <algorithm>

#include "abax/detail/backends/portable/gradual_underflow.hpp"

namespace abax::openmp {
namespace {

constexpr index_t smaller_of(index_t a, index_t b) { return b < a ? b : a; }

/// Buffers for the widest register tile: panels of `depth` terms, sums of `panels` tiles.
template <class T>
struct panels_of {
  static constexpr index_t depth = 256, panels = 8, rows = most_tile_rows<T>, cols = most_tile_cols;
  alignas(64) T a[rows * depth];
  alignas(64) T b[cols * panels * depth];
  alignas(64) T part[rows * cols * panels];
  alignas(64) T total[rows * cols * panels];
};
static_assert(sizeof(panels_of<float>) <= 200 << 10 && sizeof(panels_of<double>) <= 200 << 10);

template <class T>
index_t sums_of(const kernel_set<T>& set, index_t m, index_t n) {
  return (m + set.rows - 1) / set.rows * set.rows * ((n + set.cols - 1) / set.cols * set.cols);
}

/// Outputs that are computed together: m rows from i on, n columns from j on.
struct outputs {
  index_t i, j, m, n;
};

/// Visits (outputs, sums before them) for runs of columns by panels of rows: the order in which sums lie.
template <class T, class Visit>
void each_panel(const kernel_set<T>& set, index_t m, index_t n, const Visit& visit) {
  const index_t columns = set.cols * panels_of<T>::panels;
  index_t before = 0;
  for (index_t j = 0; j < n; j += columns)
    for (index_t i = 0; i < m; i += set.rows) {
      const outputs here{i, j, smaller_of(set.rows, m - i), smaller_of(columns, n - j)};
      visit(here, before);
      before += sums_of<T>(set, set.rows, here.n);
    }
}

/// part <- part + terms q to q + depth of these outputs, without the former part if `first`. B's panels are those of
/// the call before unless `packs_b`.
template <class T>
void add_terms(const kernel_set<T>& set, const any_product<T>& p, const outputs& of, index_t q, index_t depth,
               bool packs_b, panels_of<T>& own, T* part, bool first) {
  set.pack(of.m, depth, p.a.data + of.i * p.a.row + q * p.a.col, p.a.row, p.a.col, set.rows, own.a);
  if (packs_b) set.pack(of.n, depth, p.b.data + q * p.b.row + of.j * p.b.col, p.b.col, p.b.row, set.cols, own.b);
  set.multiply_add({.m = of.m,
                    .n = of.n,
                    .depth = depth,
                    .a = own.a,
                    .b = own.b,
                    .stride_b = packed,
                    .next_a = {own.a, 0, 0, 0},
                    .next_b = {own.b, 0, 0, 0}},
                   part, first);
}

template <class T>
void store_sums(const kernel_set<T>& set, const any_product<T>& p, const outputs& of, const T* sums) {
  set.store(of.m, of.n, sums, p.alpha, p.beta, p.c.data + of.i * p.c.row + of.j * p.c.col, p.c.row, p.c.col, {});
}

// The functions with buffers are not inlined: small products would take their stack, too.

template <class T>
[[gnu::noinline]] void by_panels(const kernel_set<T>& set, const any_product<T>& p) {
  panels_of<T> own;
  each_panel(set, p.m, p.n, [&](const outputs& of, index_t) {
    for (index_t block = 0; block < p.k; block += tile::canon_block) {
      const index_t end = smaller_of(p.k, block + tile::canon_block);
      T* const part = block == 0 ? own.total : own.part;
      for (index_t q = block, depth; q < end; q += depth) {
        depth = smaller_of(own.depth, end - q);
        const bool packs_b = of.i == 0 || p.k > own.depth;  // they stay for all rows where they hold all terms
        add_terms(set, p, of, q, depth, packs_b, own, part, q == block);
      }
      if (block > 0) set.fold(sums_of<T>(set, set.rows, of.n), own.part, own.total);
    }
    store_sums(set, p, of, own.total);
  });
}

template <class T>
void add_any(const any_product<T>& p, T* part, bool first) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  panels_of<T> own;
  for (index_t q = 0, depth; q < p.k; q += depth) {
    depth = smaller_of(own.depth, p.k - q);
    each_panel(set, p.m, p.n, [&](const outputs& of, index_t before) {
      add_terms(set, p, of, q, depth, of.i == 0, own, part + before, first && q == 0);
    });
  }
}

template <class T>
void fold_any(index_t m, index_t n, const T* part, T* total, bool first) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  const index_t count = sums_of(set, m, n);
  if (!first) return set.fold(count, part, total);
  for (index_t e = 0; e < count; ++e) total[e] = part[e];
}

template <class T>
void store_any(const any_product<T>& p, const T* total) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  each_panel(set, p.m, p.n, [&](const outputs& of, index_t before) { store_sums(set, p, of, total + before); });
}

/// One column, by strips of outputs.
template <class T>
[[gnu::noinline]] void by_strips(const kernel_set<T>& set, const any_product<T>& p) {
  constexpr index_t strip = 1024;
  alignas(64) T part[strip];
  alignas(64) T total[strip];
  T x[tile::canon_block];
  for (index_t i = 0; i < p.m; i += strip) {
    const index_t m = smaller_of(strip, p.m - i);
    for (index_t block = 0; block < p.k; block += tile::canon_block) {
      const index_t depth = smaller_of(tile::canon_block, p.k - block);
      set.copy(depth, 1, p.b.data + block * p.b.row, p.b.row, 0, x, 1, 0);
      T* const sums = block == 0 ? total : part;
      std::fill_n(sums, m, T(0));
      set.multiply_add_vector(m, depth, p.a.data + i * p.a.row + block * p.a.col, p.a.row, p.a.col, x, sums);
      if (block > 0) set.fold(m, part, total);
    }
    set.store_vector(m, total, p.alpha, p.beta, p.c.data + i * p.c.row, p.c.row);
  }
}

/// As it stands, its rows of A packed.
template <class T>
[[gnu::noinline]] void by_packed_rows(const kernel_set<T>& set, direct_product<T> p) {
  alignas(64) T panel[panels_of<T>::rows * panels_of<T>::depth];
  p.packed = panel;
  set.multiply_store(p);
}

template <class T>
void multiply_any(const any_product<T>& given) {
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  any_product<T> p = given;
  // As the loops want it: C's rows are contiguous, and one column is one of C's.
  if (p.n != 1 && (p.m == 1 || (p.c.row != 1 && p.c.col == 1)))
    p = {p.n, p.m, p.k, given.b.transposed(), given.a.transposed(), given.c.transposed(), p.alpha, p.beta};
  if (p.n == 1) {
    if (p.k > tile::canon_block) return by_strips(set, p);
    return set.multiply_store_vector(
        {p.m, p.k, p.a.data, p.a.row, p.a.col, p.b.data, p.b.row, p.alpha, p.beta, p.c.data, p.c.row});
  }
  const bool in_place = p.a.row == 1;
  if (p.c.row == 1 && (in_place || (p.a.col == 1 && p.k <= panels_of<T>::depth)) && has_few_products(p.m, p.n, p.k)) {
    const direct_product<T> direct{.m = p.m,
                                   .n = p.n,
                                   .k = p.k,
                                   .a = p.a.data,
                                   .stride_a = in_place ? p.a.col : p.a.row,
                                   .b = p.b.data,
                                   .stride_k = p.b.row,
                                   .stride_b = p.b.col,
                                   .alpha = p.alpha,
                                   .beta = p.beta,
                                   .c = p.c.data,
                                   .stride_c = p.c.col};
    return in_place ? set.multiply_store(direct) : by_packed_rows(set, direct);
  }
  by_panels(set, p);
}

}  // namespace

void multiply(const any_product<float>& product) { multiply_any(product); }
void multiply(const any_product<double>& product) { multiply_any(product); }

void add_stage(const any_product<float>& stage, float* part, bool first) { add_any(stage, part, first); }
void add_stage(const any_product<double>& stage, double* part, bool first) { add_any(stage, part, first); }
void fold_stages(index_t m, index_t n, const float* part, float* total, bool first) {
  fold_any(m, n, part, total, first);
}
void fold_stages(index_t m, index_t n, const double* part, double* total, bool first) {
  fold_any(m, n, part, total, first);
}
void store_stages(const any_product<float>& product, const float* total) { store_any(product, total); }
void store_stages(const any_product<double>& product, const double* total) { store_any(product, total); }

void dot_blocks(index_t n, const float* x, index_t stride_x, const float* y, index_t stride_y, float* sums) {
  const portable::gradual_underflow mode;
  kernels<float>().dot(n, x, stride_x, y, stride_y, sums);
}
void dot_blocks(index_t n, const double* x, index_t stride_x, const double* y, index_t stride_y, double* sums) {
  const portable::gradual_underflow mode;
  kernels<double>().dot(n, x, stride_x, y, stride_y, sums);
}

}  // namespace abax::openmp
