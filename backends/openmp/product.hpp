// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Primitives of gemm on a CPU core: panels packed into the core's cache, SIMD micro-kernels.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "abax/detail/backends/openmp/plan.hpp"
#include "abax/detail/backends/openmp/team.hpp"

namespace abax::openmp {

/// How a product is cut into panels.
template <class T>
struct panel_parameters {
  tile::product_tile size;
  const kernel_set<T>* kernels;
  index_t terms;  // of the whole product
  bool in_place;  // B's columns are read where they lie, in whole register tiles; the columns left over are packed
  bool conjugated_a = false, conjugated_b = false, turned = false;  // of complex products

  // The register tile need not divide the team's tile: panels are whole.
  KOKKOS_FUNCTION index_t padded_rows() const {
    return tile::ceil_div<index_t>(size.rows, kernels->rows) * kernels->rows;
  }
  KOKKOS_FUNCTION index_t padded_cols() const {
    return tile::ceil_div<index_t>(size.cols, kernels->cols) * kernels->cols;
  }
  KOKKOS_FUNCTION index_t packed_cols() const {
    return in_place ? tile::min<index_t>(padded_cols(), kernels->cols) : padded_cols();
  }
  KOKKOS_FUNCTION index_t elements() const { return padded_rows() * padded_cols(); }
  KOKKOS_FUNCTION index_t chunk_rows() const {
    constexpr index_t bytes = 1536;  // of one term: 384 KB in a stage of 256
    const index_t panels = bytes / (index_t(sizeof(T)) * kernels->rows);
    return tile::min(padded_rows(), tile::max<index_t>(panels, 1) * kernels->rows);
  }
  KOKKOS_FUNCTION index_t depth() const { return tile::min<index_t>(size.depth, terms); }  // of a stage, at most
  KOKKOS_FUNCTION int tile_buffers() const {
    return terms <= size.depth ? 0 : terms <= tile::canon_block_of<T> ? 1 : 2;
  }
};

/// gemm: a team is one thread. Of its tile of C, B is packed once a stage (and streams from the last cache), A chunk by
/// chunk, each just before it is used from the second cache. Where few rows meet B, its columns are read where they
/// lie. A functor at the end runs over each register tile, or part of C, as soon as that is stored.
template <class T, class Team, class Functor = tile::no_functor>
class matrix_product {
 public:
  template <class Other>
  using ending_in = matrix_product<T, Team, Other>;
  using parameters = panel_parameters<T>;
  using joiner = void;
  static constexpr bool finishes = true;

  static parameters parameters_for(const tile::product<T>& problem, const tile::product_tile& size,
                                   const kernel_set<T>& kernels) {
    const bool in_place = reads_columns(problem.b) && size.rows <= few_rows<T>;
    if constexpr (tile::is_complex<T>)
      return {.size = size,
              .kernels = &kernels,
              .terms = problem.terms(),
              .in_place = in_place && !problem.conjugated_b,
              .conjugated_a = problem.conjugated_a,
              .conjugated_b = problem.conjugated_b,
              .turned = problem.turned};
    else
      return {size, &kernels, problem.terms(), in_place};
  }
  static bool reads_columns(const tile::matrix<const T>& b) { return b.row_stride == 1; }
  static std::size_t scratch_bytes(const parameters& p) {
    const index_t packed = p.depth() * (p.chunk_rows() + p.packed_cols());
    return sizeof(T) * (packed + p.tile_buffers() * p.elements()) + 4 * alignment_slack;
  }
  static index_t elements(const parameters& p) { return p.elements(); }

  KOKKOS_FUNCTION matrix_product(const Team& team, const parameters& p, const tile::product<T, Functor>& problem,
                                 int row_tile, int col_tile)
      : matrix_product(team, p, problem, box_of(p.size, problem.c, row_tile, col_tile)) {}
  KOKKOS_FUNCTION int depth() const { return p_.size.depth; }
  KOKKOS_FUNCTION index_t elements() const { return p_.elements(); }
  KOKKOS_FUNCTION void start(const Team&, index_t begin, index_t end) {
    next_ = begin;
    end_ = end;
    if (p_.tile_buffers() > 1 && !wanted_.covers(c_.rows, c_.cols)) {  // what is not multiplied is added all the same
      std::fill_n(part_, used(), T{});
      std::fill_n(total_, used(), T{});
    }
  }

  struct stage_type {
    index_t first;  // term of both operands; they are packed where they are used
  };
  KOKKOS_FUNCTION stage_type stage(const Team&) {
    const index_t p = next_;
    next_ = tile::min<index_t>(p + p_.size.depth, end_);
    return {p};
  }
  KOKKOS_FUNCTION void clear() { fresh_ = true; }
  KOKKOS_FUNCTION void multiply_add(const Team&, const stage_type& stage, int terms) {
    multiply<false>(stage.first, terms, nullptr);
    fresh_ = false;
  }
  /// Sums leave the registers through the epilogue: no pass over them remains.
  KOKKOS_FUNCTION void finish(const Team&, const stage_type& stage, int terms, bool first) {
    multiply<true>(stage.first, terms, first ? nullptr : total_);
  }
  KOKKOS_FUNCTION void fold(bool first, bool) {
    if (first)
      Kokkos::kokkos_swap(part_, total_);
    else
      fold_parts(used(), part_, total_);
  }
  KOKKOS_FUNCTION void save(const Team&, T* sums) const { std::memcpy(sums, part_, sizeof(T) * used()); }
  KOKKOS_FUNCTION void load(const Team&, const T* sums) { std::memcpy(part_, sums, sizeof(T) * used()); }
  KOKKOS_FUNCTION void join(const Team& team, const T* sums, int blocks) {
    tile::join_by_loading(*this, team, sums, blocks);
  }
  KOKKOS_FUNCTION void store(const Team&) const { store(total_); }
  KOKKOS_FUNCTION void store_without_product(const Team&) const { store(nullptr); }

 private:
  static constexpr index_t group_cols = 96;  // a multiple of every register tile's columns

  KOKKOS_FUNCTION matrix_product(const Team& team, const parameters& p, const tile::product<T, Functor>& problem,
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
        padded_cols_(tile::ceil_div<index_t>(c_.cols, k_.cols) * k_.cols),
        chunk_rows_(p.chunk_rows()),
        packed_a_(take<T>(team, p.depth() * chunk_rows_)),
        packed_b_(take<T>(team, p.depth() * p.packed_cols())),
        part_(p.tile_buffers() > 0 ? take<T>(team, p.elements()) : nullptr),
        total_(p.tile_buffers() > 1 ? take<T>(team, p.elements()) : nullptr) {}

  /// The stage of `terms` terms from p on. The last one of a whole tile goes to C: through the epilogue, with `total`
  /// of the blocks before if there are any.
  template <bool Last>
  KOKKOS_FUNCTION void multiply(index_t p, int terms, [[maybe_unused]] const T* total) {
    const index_t next_terms = tile::min<index_t>(p_.size.depth, end_ - p - terms);  // of the next stage
    index_t done = 0;                                                                // elements of part
    for (index_t i = 0, rows = 0; i < c_.rows; i += rows) {
      rows = rows_from(i, chunk_rows_);
      const index_t row_panels = tile::ceil_div<index_t>(rows, k_.rows);
      const bool last_chunk = i + rows == c_.rows;
      pack_rows(rows, terms, i, p);
      index_t cols = 0;
      for (index_t j = 0; j < c_.cols; j += cols) {
        const index_t left = c_.cols - j;
        const bool in_place = p_.in_place && left >= k_.cols;
        cols = in_place ? left / k_.cols * k_.cols : tile::min(group_cols, left);
        const index_t col_panels = tile::ceil_div<index_t>(cols, k_.cols);
        const index_t before = done;
        done += row_panels * k_.rows * col_panels * k_.cols;
        const band wanted = wanted_.from(i, j);
        if (!wanted.meets(rows, cols)) continue;
        const bool last_group = j + cols == c_.cols;
        T* packed_b = packed_b_ + (p_.in_place ? 0 : j * terms);
        if (!in_place && (i == 0 || !wanted_.from(0, j).meets(i, cols)))  // once a stage, where it is first wanted
          pack_cols(cols, terms, p, j, packed_b);
        // What the core packs or reads next is fetched into its second cache meanwhile.
        const upcoming next_a =
            last_chunk ? soon_a(0, p + terms, next_terms, j, cols) : soon_a(i + rows, p, terms, j, cols);
        const upcoming next_b = in_place     ? soon_b(j + k_.cols, p, terms, cols)
                                : last_group ? last_chunk ? soon_b(0, p + terms, next_terms) : soon(packed_b_, terms)
                                : i == 0 ? soon_b(j + cols, p, terms)
                                             : soon(packed_b + cols * terms, terms);
        const panel_product<T> product{.m = rows,
                                       .n = cols,
                                       .depth = terms,
                                       .a = packed_a_,
                                       .b = in_place ? &b_(p, j) : packed_b,
                                       .stride_b = in_place ? b_.col_stride : packed,
                                       .next_a = next_a,
                                       .next_b = next_b,
                                       .wanted = wanted,
                                       .turned = p_.turned};
        if constexpr (Last) {
          const functor_call ending{this, i, j};
          k_.multiply_add_store(product, fresh_ ? nullptr : part_ + before, total == nullptr ? nullptr : total + before,
                                {.alpha = epilogue_.alpha,
                                 .beta = epilogue_.beta,
                                 .c = &c_(i, j),
                                 .stride_row = c_.row_stride,
                                 .stride_col = c_.col_stride,
                                 .end = ending.as_block_end()});
        } else {
          k_.multiply_add(product, part_ + before, fresh_);
        }
      }
    }
  }
  // What the loops of real and of complex values take differently.

  KOKKOS_FUNCTION void pack_rows(index_t rows, index_t terms, index_t i, index_t p) const {
    if constexpr (tile::is_complex<T>)
      k_.pack_rows(rows, terms, &a_(i, p), a_.row_stride, a_.col_stride, p_.conjugated_a, packed_a_);
    else
      k_.pack(rows, terms, &a_(i, p), a_.row_stride, a_.col_stride, k_.rows, packed_a_);
  }
  KOKKOS_FUNCTION void pack_cols(index_t cols, index_t terms, index_t p, index_t j, T* packed_b) const {
    if constexpr (tile::is_complex<T>)
      k_.pack_cols(cols, terms, &b_(p, j), b_.col_stride, b_.row_stride, p_.conjugated_b, packed_b);
    else
      k_.pack(cols, terms, &b_(p, j), b_.col_stride, b_.row_stride, k_.cols, packed_b);
  }
  KOKKOS_FUNCTION void fold_parts(index_t n, const T* part, T* total) const {
    if constexpr (tile::is_complex<T>)
      k_.parts->fold(2 * n, &part->re, &total->re);
    else
      k_.fold(n, part, total);
  }
  KOKKOS_FUNCTION void store_block(index_t rows, index_t cols, const T* total, index_t i, index_t j) const {
    if constexpr (tile::is_complex<T>)
      k_.store(rows, cols, total, {epilogue_.alpha, epilogue_.beta, &c_(i, j), c_.row_stride, c_.col_stride},
               wanted_.from(i, j));
    else
      k_.store(rows, cols, total, epilogue_.alpha, epilogue_.beta, &c_(i, j), c_.row_stride, c_.col_stride,
               wanted_.from(i, j));
  }

  /// Rows of the chunk that begins at row i. The rows of a lower triangle that are no whole panel come first, where
  /// they meet the fewest columns.
  KOKKOS_FUNCTION index_t rows_from(index_t i, index_t chunk) const {
    const bool lower = wanted_.low > -c_.cols;
    const index_t rest = lower && i == 0 ? c_.rows % k_.rows : 0;
    return tile::min(rest > 0 ? rest : chunk, c_.rows - i);
  }
  KOKKOS_FUNCTION index_t used() const { return tile::ceil_div<index_t>(c_.rows, k_.rows) * k_.rows * padded_cols_; }
  /// `terms` terms of `outer` rows or columns of an operand, of their runs the share [done, done + part) of `whole`.
  KOKKOS_FUNCTION static upcoming soon(const T* data, index_t outer, index_t stride_outer, index_t terms,
                                       index_t stride_k, index_t done, index_t part, index_t whole) {
    constexpr index_t size = sizeof(T);
    const bool along_k = stride_outer != 1;
    if (along_k && stride_k != 1) return {data, 0, 1, 1};
    const index_t runs = along_k ? outer : terms, stride = along_k ? stride_outer : stride_k;
    const index_t first = runs * done / whole, last = runs * (done + part) / whole;
    return {data + first * stride, stride * size, (along_k ? terms : outer) * size / 64 + 1, last - first};
  }
  KOKKOS_FUNCTION upcoming soon_a(index_t i, index_t p, index_t terms, index_t done, index_t part) const {
    if (terms <= 0) return {packed_a_, 0, 1, 1};
    return soon(&a_(i, p), tile::min(chunk_rows_, a_.rows - i), a_.row_stride, terms, a_.col_stride, done, part,
                c_.cols);
  }
  KOKKOS_FUNCTION upcoming soon_b(index_t j, index_t p, index_t terms, index_t cols = group_cols) const {
    if (terms <= 0 || j >= b_.cols) return {packed_a_, 0, 1, 1};
    return soon(&b_(p, j), tile::min(cols, b_.cols - j), b_.col_stride, terms, b_.row_stride, 0, 1, 1);
  }
  KOKKOS_FUNCTION static upcoming soon(const T* packed_b, index_t terms) {
    return {packed_b, 0, group_cols * terms * index_t(sizeof(T)) / 64, 1};
  }
  KOKKOS_FUNCTION void store(const T* total) const {
    for (index_t i = 0, rows = 0; i < c_.rows; i += rows) {
      rows = rows_from(i, chunk_rows_);
      for (index_t j = 0; j < c_.cols; j += group_cols) {
        const index_t cols = tile::min(group_cols, c_.cols - j);
        store_block(rows, cols, total, i, j);
        end(i, j, rows, cols);
        if (total != nullptr)
          total += tile::ceil_div<index_t>(rows, k_.rows) * k_.rows * tile::ceil_div<index_t>(cols, k_.cols) * k_.cols;
      }
    }
  }
  /// What one call of `multiply_add_store` hands to its block_end: the product, and where in the tile the outputs begin
  /// that it stores.
  struct functor_call {
    const matrix_product* product;
    index_t row, col;

    KOKKOS_FUNCTION block_end as_block_end() const {
      if constexpr (std::is_same_v<Functor, tile::no_functor>)
        return {};
      else
        return {run, this};
    }
    KOKKOS_FUNCTION static void run(const void* self, index_t i, index_t j, index_t rows, index_t cols) {
      const functor_call& call = *static_cast<const functor_call*>(self);
      call.product->end(call.row + i, call.col + j, rows, cols);
    }
  };
  /// What follows the last store of the block of the tile whose first element is (i, j).
  KOKKOS_FUNCTION void end(index_t i, index_t j, index_t rows, index_t cols) const {
    tile::apply_functor(problem_, c_.block(i, j, rows, cols), row_ + i, col_ + j);
  }

  const parameters& p_;
  const kernel_set<T>& k_;
  const tile::product<T, Functor>& problem_;
  tile::epilogue<T> epilogue_;
  index_t row_, col_;
  tile::matrix<const T> a_, b_;
  tile::matrix<T> c_;
  band wanted_;
  index_t padded_cols_, chunk_rows_;
  T *packed_a_, *packed_b_, *part_, *total_;
  index_t next_ = 0, end_ = 0;
  bool fresh_ = true;
};

}  // namespace abax::openmp
