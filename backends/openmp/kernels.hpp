// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The inner loops of the OpenMP backend: one set per instruction set, chosen once at run time.
///
/// This header and every source that implements it know nothing of Kokkos: the sources are compiled by the host
/// compiler, one per instruction set with flags of its own, also where everything else goes through nvcc.
#include <cstdint>

#include "abax/detail/tile/canon_block.hpp"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::openmp {

using index_t = std::int64_t;

/// Memory that will be wanted soon: `runs` runs of `lines` cache lines, `stride` bytes apart. A hint: it is fetched in
/// passing, and may be anything.
struct upcoming {
  const void* first;
  index_t stride, lines, runs;
};

/// Outputs (i, j) of a product that are wanted: those with low <= i - j <= high. By default all.
struct band {
  index_t low = -(INT64_MAX / 4), high = INT64_MAX / 4;

  /// As the block whose first output is (i, j) counts.
  constexpr band from(index_t i, index_t j) const { return {low - i + j, high - i + j}; }
  /// True if an m x n block at (0, 0) has one of them; if it has no other.
  constexpr bool meets(index_t m, index_t n) const { return low < m && high > -n; }
  constexpr bool covers(index_t m, index_t n) const { return low <= 1 - n && high >= m - 1; }
};

/// Terms that are so few that C's own memory decides: it is written along its columns, and A's few are read again.
inline constexpr index_t few_terms = 16;

/// Instead of the stride of a product's right operand: it lies in packed panels.
inline constexpr index_t packed = INT64_MIN;

/// The product of an m x n tile by `depth` terms, of panels that `pack` has made.
template <class T>
struct panel_product {
  index_t m, n, depth;
  const T* a;               ///< as many panels of kernel_set::rows as m needs
  const T* b;               ///< so, too, panels of kernel_set::cols; or an operand's own columns:
  index_t stride_b;         ///< `packed`, or b(p, j) = b[p + j stride_b] and n is a multiple of kernel_set::cols
  upcoming next_a, next_b;  ///< what will be packed or read after this product
  band wanted = {};         ///< no other output is computed but in whole register tiles, and none is stored in c
  bool turned = false;      ///< a complex term is b's element times a's, not a's times b's: its order differs
};

/// A call that follows as soon as `rows` rows from i on and `cols` columns from j on of an output are stored, while the
/// first cache still has them.
struct block_end {
  void (*run)(const void* of, index_t i, index_t j, index_t rows, index_t cols) = nullptr;
  const void* of = nullptr;

  void operator()(index_t i, index_t j, index_t rows, index_t cols) const {
    if (run != nullptr) run(of, i, j, rows, cols);
  }
};

/// Where sums go by the canon's epilogue: c(i, j) <- alpha sum(i, j) + beta c(i, j), where c(i, j) =
/// c[i stride_row + j stride_col]. beta == 0 never reads c.
template <class T>
struct scaled_output {
  T alpha, beta;
  T* c;
  index_t stride_row, stride_col;
  block_end end = {};  ///< of each register tile that `multiply_add_store` stores; only where all outputs are wanted
};

/// Few terms are packed of many rows at a time.
constexpr index_t packed_terms(index_t k) { return k < 256 ? 256 : k; }

/// A whole product of one block of terms, read where it lies: c <- epilogue(chain over p ascending of a(i, p) b(p, j)
/// from +0), i < m, j < n, p < k. a(i, p) = a[i + p stride_a] or, where there is memory for panels of it,
/// a[i stride_a + p]; b(p, j) = b[p stride_k + j stride_b], c(i, j) = c[i + j stride_c]; beta == 0 never reads c.
template <class T>
struct direct_product {
  index_t m, n, k;
  const T* a;
  index_t stride_a;
  const T* b;
  index_t stride_k, stride_b;
  T alpha, beta;
  T* c;
  index_t stride_c;
  T* packed = nullptr;       ///< kernel_set::rows x packed_terms(k) values of scratch
  bool past_caches = false;  ///< c is written past the caches: of few_terms at most, and with beta == 0
};

/// The same for one column: y(i) <- epilogue(chain over p ascending of a(i, p) x(p) from +0), i < outputs, p < depth.
/// a(i, p) = a[i stride_output + p stride_k], x(p) = x[p stride_x], y(i) = y[i stride_y], with any strides.
template <class T>
struct direct_vector_product {
  index_t outputs, depth;
  const T* a;
  index_t stride_output, stride_k;
  const T* x;
  index_t stride_x;
  T alpha, beta;
  T* y;
  index_t stride_y;
};

/// Where the operands of `count` products lie: `step` elements apart or, if there are pointers, where these say.
template <class T>
struct direct_items {
  index_t count = 1;
  index_t step_a = 0, step_b = 0, step_c = 0;
  const T* const* a_at = nullptr;
  const T* const* b_at = nullptr;
  T* const* c_at = nullptr;
};

/// Products of one shape, each whole and read where it lies.
template <class T>
struct direct_batch {
  direct_product<T> first;
  direct_items<T> items;
};

/// Products of one block of terms whose items are neighbours: c(i, j) <- epilogue(chain over p ascending of a(i, p)
/// b(p, j) from +0), i < m, j < n, p < k, for each of `items` items. Element (i, j) of item e is data[i row + j col +
/// e], or, of an operand that is shared, data[i row + j col]. beta == 0 never reads c.
template <class T>
struct interleaved_batch {
  template <class Value>
  struct operand {
    Value* data;
    index_t row, col;
    bool shared;

    /// Where an item's elements are: `step` behind those of item 0, unless they are all items'.
    constexpr Value* at(index_t step) const { return data + (shared ? 0 : step); }
    constexpr operand transposed() const { return {data, col, row, shared}; }
  };
  index_t m, n, k, items;
  operand<const T> a, b;
  operand<T> c;
  T alpha, beta;
  index_t vectors;  ///< of items whose A and B are moved to scratch at once; 0: they are read where they lie
  T* images;        ///< room for lanes x vectors x image() values

  /// An item's values that are moved: of operands that are not shared. An odd number: the next vector's are in other
  /// sets of the cache.
  constexpr index_t image() const { return ((a.shared ? 0 : m * k) + (b.shared ? 0 : k * n)) | 1; }
};

/// The most outputs of a product by a vector whose blocks are multiplied side by side.
inline constexpr int most_outputs_of_blocks = 4;

/// Bytes that are in a core's first cache, beside others.
inline constexpr index_t first_cache = 1 << 15;
/// Bytes that are in a core's second cache, if they are in any.
inline constexpr index_t second_cache = 1 << 21;

/// Whether a matrix of outputs x terms is more than the second caches of so many cores hold.
template <class T>
constexpr bool outgrows_caches(index_t outputs, index_t terms, int cores = 1) {
  return outputs * terms * index_t(sizeof(T)) > cores * second_cache;
}

/// Whether an m x n product of k terms has so few products that one core multiplies them in microseconds: no panel
/// would be used often enough to be worth packing.
constexpr bool has_few_products(index_t m, index_t n, index_t k, index_t most_terms = tile::canon_block) {
  return (m | n | k) >> 20 == 0 && m * n * k <= 1 << 18 && k <= most_terms;
}
/// Whether one core runs such a product alone: a second one would come too late to share its products or its bytes. A
/// complex product is four.
template <class T>
constexpr bool is_small(index_t m, index_t n, index_t k, index_t most_terms = tile::canon_block_of<T>) {
  constexpr index_t each = tile::is_complex<T> ? 4 : 1, most_bytes = 9 << 14;
  return has_few_products(m, n, each * k, each * most_terms) &&
         (m * n + m * k + k * n) * index_t(sizeof(T)) <= most_bytes;
}
template <class T>
constexpr bool is_small_vector(index_t outputs, index_t terms) {
  return (outputs | terms) >> 20 == 0 && outputs * terms <= (1 << 17) / index_t(sizeof(T)) &&
         terms <= tile::canon_block;
}

/// The loops one value type needs. All of them follow the canon (docs/canon.md): one fused multiply-add per term,
/// k ascending, lanes only across outputs, every NaN that arithmetic makes stored as the canonical one.
/// Strides count elements and may be anything, negative and zero included; stride 1 is the fast case. Pointers into
/// scratch (`packed`, `a`, `b`, `part`, `total`, `sums`, `images`) are aligned to 64 bytes, operands only to their own
/// type. Nothing outside the named extents is read or written.
template <class T>
struct kernel_set {
  const char* name;  ///< "avx512", "avx2" or "portable"
  int lanes;         ///< values of a vector
  int rows;          ///< rows of the register tile of `multiply_add`: whole vectors
  int cols;          ///< columns of that register tile
  int side;          ///< rows and columns of the register tile of `multiply_interleaved`

  /// packed[q][p][i] <- src(q width + i, p): panels of `width` outer indices, k running through each panel.
  /// src(o, p) = src[o stride_outer + p stride_k]. Outer indices past `outer` are filled with +0: they only reach
  /// outputs that nobody stores. (k is never padded: that would not be neutral.)
  void (*pack)(index_t outer, index_t depth, const T* src, index_t stride_outer, index_t stride_k, int width,
               T* packed);

  /// part(i, j) <- fma chain over p ascending of a(i, p) b(p, j), starting from +0 if `clear`, else from part(i, j);
  /// i < m, j < n. part: register tiles of rows x cols, column-major inside, tile (i, j) at number j ceil(m / rows) +
  /// i; what it holds past m and n is nobody's.
  void (*multiply_add)(panel_product<T> product, T* part, bool clear);

  /// The last stage of an m x n tile, and its end: c <- epilogue(total + sums) by the canon, where `sums` are what
  /// `multiply_add` would have left; part == nullptr: they start from +0; total == nullptr: they are the total.
  /// part and total as for `multiply_add`, with as many panels as m and n need.
  void (*multiply_add_store)(panel_product<T> product, const T* part, const T* total, scaled_output<T> out);

  /// A product without packing: pays where that would cost more than it brings.
  void (*multiply_store)(const direct_product<T>& product);

  /// The same for a batch.
  void (*multiply_batch)(const direct_batch<T>& batch);
  void (*multiply_interleaved)(const interleaved_batch<T>& batch);

  /// total[i] <- total[i] + part[i], i < n.
  void (*fold)(index_t n, const T* part, T* total);

  /// The canon's epilogue of an m x n tile: c(i, j) <- alpha total(i, j) + beta c(i, j), total laid out as `part`
  /// above, c(i, j) = c[i stride_row + j stride_col]. beta == 0 never reads c. total == nullptr stands for a product
  /// without terms: c <- +0 if beta == 0, else beta c. Outputs that are not wanted are neither read nor written.
  void (*store)(index_t m, index_t n, const T* total, T alpha, T beta, T* c, index_t stride_row, index_t stride_col,
                band wanted);

  /// part[i] <- fma chain over p ascending of a(i, p) x[p], starting from part[i]; i < outputs, p < depth.
  /// a(i, p) = a[i stride_output + p stride_k].
  void (*multiply_add_vector)(index_t outputs, index_t depth, const T* a, index_t stride_output, index_t stride_k,
                              const T* x, T* part);

  /// sums[i blocks + b] <- chain over the canon's b-th block of `terms` terms of a(i, p) x[p stride_x], p ascending,
  /// starting from sums[i blocks + b]: at most `most_outputs_of_blocks` outputs of `blocks` blocks, whose chains need
  /// not wait for one another.
  void (*multiply_add_blocks)(index_t outputs, index_t terms, const T* a, index_t stride_output, index_t stride_k,
                              const T* x, index_t stride_x, T* sums);

  /// A product by a vector, whole: pays where its result need not wait in scratch.
  void (*multiply_store_vector)(const direct_vector_product<T>& product);

  /// As `store`, for y(i) = y[i stride], i < n, and a total in natural order.
  void (*store_vector)(index_t n, const T* total, T alpha, T beta, T* y, index_t stride);

  /// sums[b] <- what the canon's b-th block of n terms leaves, of reductions of x(i) = x[i stride_x], i < n, and y
  /// alike, which only `dot` reads: of x(i) y(i), of x(i), of |x(i)|. No terms at all are one block. nrm2 has three
  /// sums a block, one after another: of squares, of raised and of lowered ones.
  using reduction = void (*)(index_t n, const T* x, index_t stride_x, const T* y, index_t stride_y, T* sums);
  reduction dot, sum, asum, nrm2;

  /// The lowest index of the largest |x(i)|, a NaN being larger than all numbers; -1 if there is none.
  index_t (*iamax)(index_t n, const T* x, index_t stride_x);

  /// dst(i, j) <- src(i, j), bits untouched; i < m, j < n; src(i, j) = src[i src_row + j src_col], dst alike.
  /// No overlap. Serves copies and transposes: the strides say which.
  void (*copy)(index_t m, index_t n, const T* src, index_t src_row, index_t src_col, T* dst, index_t dst_row,
               index_t dst_col);

  /// As `copy`, past the caches where dst's alignment allows (for a transpose: dst's rows start whole cache lines
  /// apart; narrow ones never): for results too large to stay there. One call should cover a page or more of src's
  /// contiguous runs.
  void (*copy_nontemporal)(index_t m, index_t n, const T* src, index_t src_row, index_t src_col, T* dst,
                           index_t dst_row, index_t dst_col);

  /// a(i, j) <-> b(i, j), bits untouched; i < m, j < n; a(i, j) = a[i a_row + j a_col], b alike. No overlap. Fast where
  /// a runs along one index and b along the other.
  void (*exchange)(index_t m, index_t n, T* a, index_t a_row, index_t a_col, T* b, index_t b_row, index_t b_col);

  /// a(i, j) <-> a(j, i), bits untouched; i, j < n; a(i, j) = a[i row + j col].
  void (*transpose_square)(index_t n, T* a, index_t row, index_t col);

  /// z[i] <- alpha x[i] + beta y[i] by the canon's epilogue, i < n: beta == 0 never reads y. z may be x or y itself.
  void (*combine)(index_t n, T alpha, const T* x, index_t stride_x, T beta, const T* y, index_t stride_y, T* z,
                  index_t stride_z);

  /// As `combine`, past the caches: for a z that is neither x nor y and too large to stay there.
  void (*combine_nontemporal)(index_t n, T alpha, const T* x, index_t stride_x, T beta, const T* y, index_t stride_y,
                              T* z, index_t stride_z);

  /// As `combine`, of m x n matrices whose columns are contiguous: z(i, j) = z[i + j stride_z], x and y alike. Z may be
  /// X or Y itself.
  void (*combine_columns)(index_t m, index_t n, T alpha, const T* x, index_t stride_x, T beta, const T* y,
                          index_t stride_y, T* z, index_t stride_z);

  /// x[i] <- x[i] + value, i < n.
  void (*increment)(index_t n, T value, T* x, index_t stride);
};

/// The loops of complex products, vectors and copies. Their vectors hold parts of `Real`; register tiles keep the real
/// and the imaginary parts of outputs apart, panels and sums in the same places as above, two parts to an element.
template <class Real>
struct kernel_set<tile::complex<Real>> {
  using T = tile::complex<Real>;

  const char* name;
  const kernel_set<Real>* parts;  ///< the same instructions' loops over parts
  int lanes;                      ///< terms of products that take as long as a term of a vector does above
  int rows, cols;                 ///< of the register tile, as above

  /// packed <- panels of `rows` or `cols` outer indices, as the product wants them, of src or of its conjugate.
  using pack_panels = void (*)(index_t outer, index_t depth, const T* src, index_t stride_outer, index_t stride_k,
                               bool conjugated, T* packed);
  pack_panels pack_rows, pack_cols;

  void (*multiply_add)(const panel_product<T>& product, T* part, bool clear);
  void (*multiply_add_store)(const panel_product<T>& product, const T* part, const T* total,
                             const scaled_output<T>& out);
  /// As above, total as the two leave it.
  void (*store)(index_t m, index_t n, const T* total, const scaled_output<T>& out, band wanted);

  /// part[i] <- chain over p ascending of a(i, p) x[p], starting from part[i], with a's conjugates if `conjugated`;
  /// of x[p] a(i, p) if `turned`. `from_memory`: it is a part of what the cores' second caches do not hold.
  void (*multiply_add_vector)(index_t outputs, index_t depth, const T* a, index_t stride_output, index_t stride_k,
                              bool from_memory, bool conjugated, bool turned, const T* x, T* part);
  /// The same for one output of several blocks, with x's conjugates if `conjugated_x`: sums[b] is the b-th block's.
  void (*multiply_add_blocks)(index_t terms, const T* a, index_t stride_k, bool conjugated, bool turned, const T* x,
                              index_t stride_x, bool conjugated_x, T* sums);
  void (*store_vector)(index_t n, const T* total, T alpha, T beta, T* y, index_t stride);

  /// sums[b] <- what the canon's b-th block of parts leaves, of x(i) y(i) or conj(x(i)) y(i), i < n, of vectors whose
  /// elements follow one another.
  using reduction = void (*)(index_t n, const T* x, const T* y, T* sums);
  reduction dotu, dotc;
  /// magnitude[i] <- |Re x(i)| + |Im x(i)|.
  void (*magnitudes)(index_t n, const T* x, index_t stride, Real* magnitude);

  void (*copy)(index_t m, index_t n, const T* src, index_t src_row, index_t src_col, T* dst, index_t dst_row,
               index_t dst_col);
  /// a(i, j) <- conj(a(i, j)): one bit changes.
  void (*conjugate)(index_t m, index_t n, T* a, index_t row, index_t col);
  void (*exchange)(index_t m, index_t n, T* a, index_t a_row, index_t a_col, T* b, index_t b_row, index_t b_col);
  void (*transpose_square)(index_t n, T* a, index_t row, index_t col);

  void (*combine)(index_t n, T alpha, const T* x, index_t stride_x, T beta, const T* y, index_t stride_y, T* z,
                  index_t stride_z);
};

/// The set for this CPU, chosen at the first call. The environment variable ABAX_CPU (avx512, avx2, portable) forces
/// one; a name that is unknown, or that this CPU cannot run, throws std::runtime_error naming those it can.
template <class T>
const kernel_set<T>& kernels();

/// Every set this CPU can run, best first; for tests that compare them. Ends with a null pointer.
template <class T>
const kernel_set<T>* const* runnable_kernels();

}  // namespace abax::openmp
