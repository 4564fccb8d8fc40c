// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of gemm on a CPU core, for products whose operands are read where they lie: small ones, those of few
/// columns, and those of few outputs.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "abax/detail/backends/openmp/plan.hpp"
#include "abax/detail/backends/openmp/team.hpp"

namespace abax::openmp {

/// How a product that is read where it lies is cut.
template <class T>
struct direct_parameters {
  tile::product_tile size;  // of C as it is
  const kernel_set<T>* kernels;
  index_t terms;             // of the whole product
  bool turned, past_caches;  // not both: few rows are turned, many go past the caches

  KOKKOS_FUNCTION index_t block() const { return tile::min<index_t>(tile::canon_block, terms); }
  KOKKOS_FUNCTION index_t chunk() const { return turned ? tile::min<index_t>(1024, size.cols) * size.rows : 0; }
  KOKKOS_FUNCTION index_t elements() const { return index_t(size.rows) * size.cols; }
  KOKKOS_FUNCTION index_t kept() const { return terms > tile::canon_block ? elements() : 0; }
};

/// A stage is a whole block of the canon. Where that is all, its sums go to C from the registers; else each block's go
/// to a buffer of the tile's outputs, column after column. Only panels of an A whose rows are not contiguous are
/// packed. Where few rows would leave most lanes of a vector idle, lanes are columns (`turned`): C^T = B^T A^T, a chunk
/// of whose outputs at a time is then written across.
template <class T, class Team, class Functor = tile::no_functor>
class direct_matrix_product {
 public:
  template <class Other>
  using ending_in = direct_matrix_product<T, Team, Other>;
  using parameters = direct_parameters<T>;
  using joiner = void;
  static constexpr bool finishes = true;

  static bool can(const tile::product<T>& problem) {
    return problem.terms() > 0 && problem.c.row_stride == 1 && (problem.a.row_stride == 1 || problem.a.col_stride == 1);
  }
  static bool turns(const kernel_set<T>& set, const tile::product<T>& problem) {
    const tile::matrix<const T>&a = problem.a, &b = problem.b;
    return problem.c.part == tile::triangle::whole && (b.row_stride == 1 || b.col_stride == 1) &&
           lanes_are_columns(set.lanes, a.rows, b.cols, problem.terms(), a.row_stride == 1, b.col_stride == 1);
  }
  /// Whether C alone decides: few terms go to each of its elements, and it is not read and is more than so many cores
  /// still have in their second caches when it is done.
  static bool writes_past_caches(const tile::product<T>& problem, int cores) {
    constexpr index_t least_rows = 256;  // of a column, whose ends share lines with others
    const tile::output<T>& c = problem.c;
    return problem.terms() <= few_terms && c.part == tile::triangle::whole && problem.epilogue.beta == T(0) &&
           c.rows >= least_rows && outgrows_caches<T>(c.rows, c.cols, 2 * cores);
  }
  static parameters parameters_for(const tile::product<T>& problem, const tile::product_tile& size,
                                   const kernel_set<T>& kernels, int cores) {
    return {size, &kernels, problem.terms(), turns(kernels, problem), writes_past_caches(problem, cores)};
  }
  static std::size_t scratch_bytes(const parameters& p) {
    return sizeof(T) * (p.kernels->rows * (packed_terms(p.block()) + p.kernels->cols) + 2 * (p.chunk() + p.kept())) +
           6 * alignment_slack;
  }
  static index_t elements(const parameters& p) { return p.elements(); }

  KOKKOS_FUNCTION direct_matrix_product(const Team& team, const parameters& p, const tile::product<T, Functor>& problem,
                                        int row_tile, int col_tile)
      : direct_matrix_product(team, p, problem, box_of(p.size, problem.c, row_tile, col_tile)) {}
  KOKKOS_FUNCTION int depth() const { return static_cast<int>(tile::canon_block); }
  KOKKOS_FUNCTION index_t elements() const { return p_.elements(); }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t) {
    next_ = begin;
    if (p_.kept() > 0 && !wanted_.covers(c_.rows, c_.cols)) {  // what is not multiplied is added all the same
      std::fill_n(part_, used(), T(0));
      std::fill_n(total_, used(), T(0));
    }
  }

  struct stage_type {
    index_t first;  // term of both operands
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t p = next_;
    next_ += tile::canon_block;
    return {p};
  }
  KOKKOS_FUNCTION void clear() {}
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    multiply(stage.first, terms, {T(1), T(0)}, part_, c_.rows);
  }
  KOKKOS_FUNCTION void finish(const Team& team, const stage_type& stage, int terms, bool first) {
    if (first && !p_.turned) return multiply_and_end(stage.first, terms);
    if (first) return multiply_across(stage.first, terms);
    multiply_add(team, stage, terms);
    k_.fold(used(), part_, total_);
    store(team);
  }
  KOKKOS_FUNCTION void fold(bool first, bool) {
    if (first)
      Kokkos::kokkos_swap(part_, total_);
    else
      k_.fold(used(), part_, total_);
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const { std::memcpy(sums, part_, sizeof(T) * used()); }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) { std::memcpy(part_, sums, sizeof(T) * used()); }
  KOKKOS_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    tile::join_by_loading(*this, team, sums, blocks);
  }
  KOKKOS_FUNCTION void store(const Team&) const {
    if (p_.turned) {
      for (index_t i = 0; i < c_.rows; i += chunk_rows()) {
        const index_t rows = tile::min(chunk_rows(), c_.rows - i);
        store_across(i, rows, total_ + i, c_.rows);
      }
      return;
    }
    for (index_t j = 0; j < c_.cols; ++j) {
      const index_t first = tile::max<index_t>(0, wanted_.low + j), last = tile::min(c_.rows - 1, wanted_.high + j);
      if (first <= last)
        k_.store_vector(last - first + 1, total_ + j * c_.rows + first, epilogue_.alpha, epilogue_.beta, &c_(first, j),
                        1);
      end(0, j, c_.rows, 1);
    }
  }
  KOKKOS_FUNCTION void store_without_product(const Team&) const {}  // there are terms

 private:
  KOKKOS_FUNCTION direct_matrix_product(const Team& team, const parameters& p, const tile::product<T, Functor>& problem,
                                        const box& at)
      : p_(p),
        k_(*p.kernels),
        problem_(problem),
        epilogue_(problem.epilogue),
        row_(at.row),
        col_(at.col),
        a_(problem.a.block(at.row, 0, at.rows, problem.a.cols)),
        b_(problem.b.block(0, at.col, problem.b.rows, at.cols)),
        c_(problem.c.place(at.row, at.col, at.rows, at.cols)),
        wanted_(at.wanted),
        packed_a_(take<T>(team, p.kernels->rows * packed_terms(p.block()))),
        corner_(take<T>(team, index_t(p.kernels->rows) * p.kernels->cols)),
        chunk_(take<T>(team, p.chunk())),
        old_(take<T>(team, p.chunk())),
        part_(take<T>(team, p.kept())),
        total_(take<T>(team, p.kept())) {
    if (!p.turned) return;
    const tile::matrix<const T> a = a_;
    a_ = b_.transposed();
    b_ = a.transposed();
    c_ = c_.transposed();
  }

  KOKKOS_FUNCTION bool in_place() const { return a_.row_stride == 1; }
  KOKKOS_FUNCTION index_t used() const { return c_.rows * c_.cols; }
  KOKKOS_FUNCTION index_t chunk_rows() const { return tile::min<index_t>(1024, c_.rows); }
  /// Rows from i on, to be multiplied by `terms` terms from p on.
  KOKKOS_FUNCTION direct_product<T> product_of(index_t i, index_t rows, index_t p, index_t terms,
                                               const tile::epilogue<T>& epilogue, T* c, index_t stride_c) const {
    return {.m = rows,
            .n = c_.cols,
            .k = terms,
            .a = &a_(i, p),
            .stride_a = in_place() ? a_.col_stride : a_.row_stride,
            .b = &b_(p, 0),
            .stride_k = b_.row_stride,
            .stride_b = b_.col_stride,
            .alpha = epilogue.alpha,
            .beta = epilogue.beta,
            .c = c,
            .stride_c = stride_c,
            .packed = in_place() ? nullptr : packed_a_};
  }
  /// The rows of A that `rows` multiplies become a panel of `width` rows in scratch.
  KOKKOS_FUNCTION void pack_rows(direct_product<T>& rows, index_t width) const {
    k_.pack(rows.m, rows.k, rows.a, a_.row_stride, a_.col_stride, static_cast<int>(width), packed_a_);
    rows.a = packed_a_;
    rows.stride_a = width;
    rows.packed = nullptr;
  }
  /// c <- epilogue(A B of these terms), where it is wanted.
  KOKKOS_FUNCTION void multiply(index_t p, index_t terms, const tile::epilogue<T>& epilogue, T* c,
                                index_t stride_c) const {
    if (wanted_.covers(c_.rows, c_.cols))
      return k_.multiply_store(product_of(0, c_.rows, p, terms, epilogue, c, stride_c));
    for (index_t i = 0, rows = 0; i < c_.rows; i += rows) {
      rows = rows_from(i);
      direct_product<T> panel = product_of(i, rows, p, terms, epilogue, c + i, stride_c);
      if (!in_place()) {
        const index_t half = k_.lanes / 2;
        pack_rows(panel, rows <= half ? half : tile::ceil_div<index_t>(rows, k_.lanes) * k_.lanes);
      }
      multiply_wanted(panel, wanted_.from(i, 0));
    }
  }
  /// A product of one block, whole: where a functor follows, by parts of C that the core's cache keeps until then.
  KOKKOS_FUNCTION void multiply_and_end(index_t p, index_t terms) const {
    if constexpr (std::is_same_v<Functor, tile::no_functor>) {
      if (p_.past_caches) return multiply_past_caches(p, terms);
      multiply(p, terms, epilogue_, c_.data, c_.col_stride);
    } else {
      constexpr index_t kept = (index_t(256) << 10) / sizeof(T);
      const index_t panel = 4 * k_.rows, most = tile::max<index_t>(1, kept / (panel * c_.cols)) * panel;
      for (index_t i = 0; i < c_.rows; i += most) {
        const index_t rows = tile::min(most, c_.rows - i);
        k_.multiply_store(product_of(i, rows, p, terms, epilogue_, &c_(i, 0), c_.col_stride));
        end(i, 0, rows, c_.cols);
      }
    }
  }
  /// As many rows at a time as their panel, which stays in the first cache, has room.
  KOKKOS_FUNCTION void multiply_past_caches(index_t p, index_t terms) const {
    const index_t most = k_.rows * packed_terms(p_.block()) / terms / k_.lanes * k_.lanes;
    for (index_t i = 0; i < c_.rows; i += most) {
      const index_t rows = tile::min(most, c_.rows - i), width = tile::ceil_div<index_t>(rows, k_.lanes) * k_.lanes;
      direct_product<T> chunk = product_of(i, rows, p, terms, epilogue_, &c_(i, 0), c_.col_stride);
      pack_rows(chunk, width);
      chunk.past_caches = true;
      k_.multiply_store(chunk);
    }
  }
  /// What follows the last store of the block of the tile, as the tile is multiplied, whose first element is (i, j).
  KOKKOS_FUNCTION void end(index_t i, index_t j, index_t rows, index_t cols) const {
    const tile::matrix<T> stored = c_.block(i, j, rows, cols);
    if (p_.turned)
      tile::apply_functor(problem_, stored.transposed(), row_ + j, col_ + i);
    else
      tile::apply_functor(problem_, stored, row_ + i, col_ + j);
  }
  /// Of a panel of rows, what is wanted: columns that are so as a whole as they are, others by way of scratch.
  KOKKOS_FUNCTION void multiply_wanted(const direct_product<T>& panel, const band& wanted) const {
    const auto limited = [&](index_t j) { return tile::max<index_t>(0, tile::min(j, panel.n)); };
    const index_t begin = limited(-wanted.high), end = limited(panel.m - wanted.low);  // of columns wanted in part
    const index_t first = limited(panel.m - 1 - wanted.high);                          // of those wanted as a whole
    const index_t last = tile::max(first, limited(1 - wanted.low));
    const auto columns = [&](index_t j, index_t n) {
      direct_product<T> some = panel;
      some.n = n;
      some.b += j * panel.stride_b;
      some.c += j * panel.stride_c;
      return some;
    };
    const auto in_part = [&](index_t from, index_t to) {
      for (index_t j = from; j < to; j += k_.cols) {
        direct_product<T> some = columns(j, tile::min<index_t>(k_.cols, to - j));
        const index_t first_row = tile::max<index_t>(0, (wanted.low + j) / k_.lanes * k_.lanes);
        some.m = tile::min(some.m, wanted.high + j + some.n) - first_row;
        some.a += first_row;
        some.c += first_row;
        direct_product<T> sums = some;
        sums.alpha = T(1);
        sums.beta = T(0);
        sums.c = corner_;
        sums.stride_c = k_.rows;
        k_.multiply_store(sums);
        k_.store(some.m, some.n, corner_, some.alpha, some.beta, some.c, 1, some.stride_c, wanted.from(first_row, j));
      }
    };
    in_part(begin, first);
    if (first < last) k_.multiply_store(columns(first, last - first));
    in_part(last, end);
  }
  /// Rows of the panel that begins at row i. Those of a lower triangle that are no whole panel come first, where they
  /// meet the fewest columns.
  KOKKOS_FUNCTION index_t rows_from(index_t i) const {
    const bool lower = wanted_.low > -c_.cols;
    const index_t rest = lower && i == 0 ? c_.rows % k_.rows : 0;
    return tile::min<index_t>(rest > 0 ? rest : k_.rows, c_.rows - i);
  }

  /// A turned product of one block, whole.
  KOKKOS_FUNCTION void multiply_across(index_t p, index_t terms) const {
    for (index_t i = 0; i < c_.rows; i += chunk_rows()) {
      const index_t rows = tile::min(chunk_rows(), c_.rows - i);
      k_.multiply_store(product_of(i, rows, p, terms, {T(1), T(0)}, chunk_, rows));
      store_across(i, rows, chunk_, rows);
    }
  }
  /// The canon's epilogue for rows from i on, which lie across C's lines: as vectors, in scratch. Element (r, j) of the
  /// sums is sums[r + j stride].
  KOKKOS_FUNCTION void store_across(index_t i, index_t rows, const T* sums, index_t stride) const {
    T* const c = &c_(i, 0);
    if (epilogue_.beta != T(0)) k_.copy(rows, c_.cols, c, c_.row_stride, c_.col_stride, old_, 1, rows);
    for (index_t j = 0; j < c_.cols; ++j)
      k_.combine(rows, epilogue_.alpha, sums + j * stride, 1, epilogue_.beta, old_ + j * rows, 1, old_ + j * rows, 1);
    k_.copy(rows, c_.cols, old_, 1, rows, c, c_.row_stride, c_.col_stride);
    end(i, 0, rows, c_.cols);
  }

  const parameters& p_;
  const kernel_set<T>& k_;
  const tile::product<T, Functor>& problem_;
  tile::epilogue<T> epilogue_;
  index_t row_, col_;
  tile::matrix<const T> a_, b_;
  tile::matrix<T> c_;
  band wanted_;
  T *packed_a_, *corner_, *chunk_, *old_, *part_, *total_;
  index_t next_ = 0;
};

}  // namespace abax::openmp
