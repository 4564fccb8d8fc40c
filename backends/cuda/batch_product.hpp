// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products: items that come to scratch whole, several at a time.
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/batch_layout.hpp"
#include "abax/detail/backends/cuda/mma.hpp"
#include "abax/detail/backends/cuda/scratch.hpp"
#include "abax/detail/tile/batch.hpp"
#include "abax/detail/tile/complex.hpp"

namespace abax::cuda {

/// A and B say which index of the operands' images is contiguous. `Chunks`: their lines are whole chunks of 16 bytes,
/// and so are C's, which are columns.
///
/// Images that memory looks like are copied 16 bytes at a time, also from and to addresses that are no multiple of
/// them: the image then begins as far behind one. All others are copied element by element, and complex elements that
/// do not lie on multiples of their size part by part.
///
/// Complex elements are multiplied one by one, also where an item's lines are whole chunks. Their images have gaps for
/// that.
///
/// Larger tiles of elements that are read one by one lie within their item: the last one of a line of tiles begins
/// earlier, and does not store the outputs that it shares with the tile before it. So all elements of a tile are at
/// fixed distances.
template <class T, batch_shape Shape, along A, along B, bool Chunks, class Team>
class batch_product {
  static constexpr int Threads = Shape.threads, Rows = Shape.rows, Cols = Shape.cols, wide = 16 / sizeof(T);
  static constexpr bool on_tensor_cores = Shape.on_tensor_cores, stores_sums = Shape.stores_sums;
  static constexpr bool is_complex = tile::is_complex<T>,
                        has_item_gaps = batch_layout<T, Shape, A, B, Chunks>::has_item_gaps;
  static constexpr int terms_at_a_time = sizeof(T) == 16 ? 2 : 4;  // one by one, as registers allow
  static_assert(!on_tensor_cores || (Chunks && std::is_same_v<T, double> && Rows % 16 == 0 && Cols % 8 == 0));
  static_assert(Chunks || !stores_sums);
  static_assert(!Chunks || !is_complex);

 public:
  static constexpr int team_size = Threads, residents = Shape.residents;
  using layout = batch_layout<T, Shape, A, B, Chunks>;
  using parameters = batch_parameters;
  static std::size_t scratch_bytes() { return Shape.bytes + scratch_slack; }

  /// A piece is a group, a team's only one.
  KOKKOS_FUNCTION static void multiply(const Team& team, const parameters& how, const tile::batch<T>& batch,
                                       index_t piece, index_t) {
    const index_t first = piece * how.group, left = batch.items() - first;
    batch_product(team, how, batch).run(team, first, static_cast<int>(tile::min<index_t>(how.group, left)));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION batch_product(const Team& team, const parameters& how, const tile::batch<T>& batch)
      : thread_(team.team_rank()),
        how_(layout::known(how)),
        batch_(batch),
        scratch_(take_scratch<T>(team, Shape.bytes / sizeof(T))) {}

  /// While some of a multiprocessor's teams wait for their items, others multiply.
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, index_t first, int live) const {
    fetch_all(first, live);
    commit_copies();
    wait_copies<0>();
    barrier(team);
    multiply_all(first, live);
    if constexpr (!stores_sums) {
      barrier(team);
      store_all(first, live);
    }
  }

  /// Elements between the begin of a region and its images.
  KOKKOS_FORCEINLINE_FUNCTION static int shift_of(const item_image& image, const T* data, index_t first) {
    if (Chunks || !image.flat) return 0;
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data + first * image.size) / sizeof(T) % wide);
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch_all(index_t first, int live) const {
    const auto& p = batch_.first;
    fetch_images(how_.a, scratch_, first, live, p.a.data, [&](index_t item) { return batch_.a(item); });
    fetch_images(how_.b, scratch_ + how_.at_b, first, live, p.b.data, [&](index_t item) { return batch_.b(item); });
    if (!stores_sums && p.epilogue.beta != T(0))
      fetch_images(how_.c, scratch_ + how_.at_c, first, live, static_cast<const T*>(p.c.data),
                   [&](index_t item) { return static_cast<const T*>(batch_.c(item)); });
  }
  template <class At>
  KOKKOS_FORCEINLINE_FUNCTION void fetch_images(const item_image& image, T* to, index_t first, int live, const T* data,
                                                const At& at) const {
    const int count = live * image.size;
    if (image.flat) {
      const T* const from = data + first * image.size;
      flat(
          image, from, to, shift_of(image, data, first), count, [](const T* f, T* t) { copy_async<16>(t, f); },
          [](const T* f, T* t) { copy_async<sizeof(T)>(t, f); });
    } else {
#pragma unroll 4
      for (int e = thread_; e < count; e += Threads) {
        index_t offset;
        const int item = item_and_offset(image, e, offset);
        fetch_element(to + place(image, e), at(first + item) + offset);
      }
    }
  }
  // Pointers of items are not known before they are here, so that each element is asked.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_in_parts(const T* element) {
    return is_complex && reinterpret_cast<std::uintptr_t>(element) % sizeof(T) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void fetch_element(T* to, const T* from) {
    if (is_in_parts(from)) {
      using real = tile::real_of<T>;
#pragma unroll
      for (int part = 0; part < 2; ++part)
        copy_async<sizeof(real)>(reinterpret_cast<real*>(to) + part, reinterpret_cast<const real*>(from) + part);
    } else {
      copy_async<sizeof(T)>(to, from);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store_element(T* to, const T* from) {
    if (is_in_parts(to))
      *to = *from;
    else
      *reinterpret_cast<pack<T, 1>*>(to) = *reinterpret_cast<const pack<T, 1>*>(from);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int place(const item_image& image, int e) {
    return has_item_gaps ? image.place_with_item_gaps(e) : image.place(e);
  }
  /// Which item element e of the images is of, and where it lies there.
  KOKKOS_FORCEINLINE_FUNCTION static int item_and_offset(const item_image& image, int e, index_t& offset) {
    const int item = image.item_of(e), rest = e - item * image.size;
    const int line = image.line_of(rest), along = rest - line * image.length;
    offset = along * image.near + line * image.far;
    return item;
  }
  /// move(memory, image) for `count` elements, whole chunks where they lie on 16 bytes; the images begin at
  /// images + shift, as far behind 16 bytes as the memory.
  template <class From, class To, class MoveChunk, class MoveElement>
  KOKKOS_FORCEINLINE_FUNCTION void flat(const item_image& image, From* from, To* images, int shift, int count,
                                        const MoveChunk& move_chunk, const MoveElement& move_element) const {
    To* const at = images + shift;
    const int head = Chunks ? 0 : tile::min(count, shift == 0 ? 0 : wide - shift);
    const int chunks = (count - head) / wide, tail = head + chunks * wide;
#pragma unroll 4
    for (int c = thread_; c < chunks; c += Threads) {
      const int e = head + c * wide;
      move_chunk(from + e, at + (Chunks || has_item_gaps ? place(image, e) : e));
    }
    if constexpr (!Chunks) {
      if (thread_ < head) move_element(from + thread_, at + thread_);
      if (thread_ < count - tail) move_element(from + tail + thread_, at + tail + thread_);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store_all(index_t first, int live) const {
    const item_image& image = how_.c;
    T* const images = scratch_ + how_.at_c;
    const int count = live * image.size;
    T* const data = batch_.first.c.data;
    if (image.flat) {
      flat(
          image, data + first * image.size, images, shift_of(image, data, first), count,
          [](T* to, const T* from) {
            using real = tile::real_of<T>;
            using chunk = pack<real, 16 / sizeof(real)>;
            store_chunk(reinterpret_cast<real*>(to), *reinterpret_cast<const chunk*>(from));
          },
          [](T* to, const T* from) { store_element(to, from); });
    } else {
#pragma unroll 4
      for (int e = thread_; e < count; e += Threads) {
        index_t offset;
        const int item = item_and_offset(image, e, offset);
        store_element(batch_.c(first + item) + offset, images + place(image, e));
      }
    }
  }

  // Neighbours of a tile's rows, or columns, that are read at once.
  template <along Direction, int Count>
  static constexpr int side_by_side = Chunks&& Direction == along::outer ? tile::min(Count, wide) : 1;

  /// Where the outputs of an item are written, and how elements lie there.
  struct target {
    using stride = std::conditional_t<stores_sums && layout::extent == 0, index_t, int>;
    T* data;
    stride row_stride, col_stride;
    bool has_chunks;  ///< along the rows, where operands have them
    KOKKOS_FORCEINLINE_FUNCTION T* at(int i, int j) const { return data + i * row_stride + j * col_stride; }
  };
  KOKKOS_FORCEINLINE_FUNCTION target target_of(T* images, index_t first, int item) const {
    if constexpr (layout::extent > 0) {
      return {batch_.c(first + item), 1, layout::extent, true};
    } else if constexpr (stores_sums) {
      const auto& c = batch_.first.c;
      return {batch_.c(first + item), c.row_stride, c.col_stride, how_.c.flat};
    } else {
      return {images + item * how_.c.room, how_.c.row_stride(), how_.c.col_stride(), true};
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_all(index_t first, int live) const {
    const int tiles = static_cast<int>(how_.tiles_of_item.by);
    const T* const a = scratch_ + shift_of(how_.a, batch_.first.a.data, first);
    const T* const b = scratch_ + how_.at_b + shift_of(how_.b, batch_.first.b.data, first);
    T* const c = scratch_ + how_.at_c + shift_of(how_.c, batch_.first.c.data, first);
#pragma unroll 1
    for (int t = on_tensor_cores ? thread_ / 32 : thread_; t < live * tiles; t += layout::workers) {
      const int item = how_.tiles_of_item(t), of_item = t - item * tiles;
      int row_tile, col_tile;
      if (how_.by_warps) {
        // 32 threads have 8 x 4 tiles. Threads l and l ^ 1 share columns, l and l ^ 2 rows, so that banks serve twice
        // as many at a time (tile/banks.hpp).
        const int warp = of_item / 32, row_warps = static_cast<int>(how_.row_tiles.by) / 8;
        col_tile = warp / row_warps * 4 + of_item % 8 / 2;
        row_tile = warp % row_warps * 8 + of_item % 2 + of_item % 32 / 8 * 2;
      } else {
        col_tile = how_.row_tiles(of_item);
        row_tile = of_item - col_tile * static_cast<int>(how_.row_tiles.by);
      }
      const T *const item_a = a + item * how_.a.room, *const item_b = b + item * how_.b.room;
      const target item_c = target_of(c, first, item);
      if constexpr (on_tensor_cores)
        multiply_warp_tile(item_a, item_b, item_c, row_tile * Rows, col_tile * Cols);
      else if constexpr (layout::lies_within)
        multiply_tile_within(item_a, item_b, item_c, row_tile * Rows, col_tile * Cols);
      else
        multiply_tile(item_a, item_b, item_c, row_tile, col_tile);
    }
  }

  /// Where a place is read that may lie behind the last.
  KOKKOS_FORCEINLINE_FUNCTION static int within(int place, int last) {
    return layout::has_whole_tiles ? place : tile::min(place, last);
  }

  /// By a whole warp, from row `row` and column `col` on. What lies past the end is read from the last place, and not
  /// stored.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_warp_tile(const T* a, const T* b, const target& c, int row, int col) const {
    constexpr int row_tiles = Rows / 16, col_tiles = Cols / 8;
    const int g = thread_ % 32 / 4, q = thread_ % 4, step_a = how_.a.col_stride(), step_b = how_.b.row_stride();
    const T* at_a[row_tiles][2];
    const T* at_b[col_tiles];
#pragma unroll
    for (int x = 0; x < row_tiles; ++x)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        at_a[x][h] = a + within(row + 16 * x + 8 * h + g, how_.m - 1) * how_.a.row_stride() + q * step_a;
#pragma unroll
    for (int y = 0; y < col_tiles; ++y)
      at_b[y] = b + within(col + 8 * y + g, how_.n - 1) * how_.b.col_stride() + q * step_b;
    T part[row_tiles][col_tiles][4] = {};
#ifdef __CUDA_ARCH__
    __syncwarp();  // mma.sync is for all lanes together
#endif
#pragma unroll 4
    for (int p = 0; p < how_.k; p += 4) {
      T left[row_tiles][2], right[col_tiles][1];
#pragma unroll
      for (int x = 0; x < row_tiles; ++x)
#pragma unroll
        for (int h = 0; h < 2; ++h) left[x][h] = at_a[x][h][p * step_a];
#pragma unroll
      for (int y = 0; y < col_tiles; ++y) right[y][0] = at_b[y][p * step_b];
#pragma unroll
      for (int x = 0; x < row_tiles; ++x)
#pragma unroll
        for (int y = 0; y < col_tiles; ++y) mma(part[x][y], left[x], right[y]);
    }
    const auto each_output = [&](const auto& visit) {
#pragma unroll
      for (int x = 0; x < row_tiles; ++x)
#pragma unroll
        for (int y = 0; y < col_tiles; ++y)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int i = row + 16 * x + e / 2 * 8 + g, j = col + 8 * y + 2 * q + e % 2;
            if (layout::has_whole_tiles || (i < how_.m && j < how_.n))
              visit(c.at(i, j), (x * col_tiles + y) * 4 + e, part[x][y][e]);
          }
    };
    T old[row_tiles * col_tiles * 4] = {};
    if (batch_.first.epilogue.beta != T(0))  // all of it before any is written, as in finish()
      each_output([&](const T* out, int n, T) { old[n] = *out; });
    each_output([&](T* out, int n, T sum) { *out = batch_.first.epilogue(sum, &old[n]); });
  }

  /// Where output x of a tile lies along an index of C: in chunks that are `tiles` chunks apart.
  template <along Direction, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static int wanted(int tile, int tiles, int x) {
    constexpr int near = side_by_side<Direction, Count>;
    return (x / near * tiles + tile) * near + x % near;
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(const T* a, const T* b, const target& c, int row_tile,
                                                 int col_tile) const {
    constexpr int near_a = side_by_side<A, Rows>, near_b = side_by_side<B, Cols>;
    const int row_tiles = static_cast<int>(how_.row_tiles.by), m = how_.m, n = how_.n;
    const int col_tiles = static_cast<int>(how_.tiles_of_item.by) / row_tiles;
    // What lies past the end is read from the last place, and not stored.
    const T* at_a[Rows / near_a];
    const T* at_b[Cols / near_b];
#pragma unroll
    for (int x = 0; x < Rows; x += near_a)
      at_a[x / near_a] = a + within(wanted<A, Rows>(row_tile, row_tiles, x), m - near_a) * how_.a.row_stride();
#pragma unroll
    for (int y = 0; y < Cols; y += near_b)
      at_b[y / near_b] = b + within(wanted<B, Cols>(col_tile, col_tiles, y), n - near_b) * how_.b.col_stride();
    T part[Cols][Rows];
    clear(part);
    if (is_complex && batch_.first.turned)
      add_terms<true>(part, at_a, at_b);
    else
      add_terms<false>(part, at_a, at_b);
    using chunk = pack<T, near_a>;
    constexpr bool may_lack_chunks = stores_sums && near_a > 1;
    const auto each_chunk = [&](const auto& visit) {
#pragma unroll
      for (int y = 0; y < Cols; ++y) {
        const int col = wanted<B, Cols>(col_tile, col_tiles, y);
#pragma unroll
        for (int x = 0; x < Rows; x += near_a) {
          const int row = wanted<A, Rows>(row_tile, row_tiles, x);
          if (layout::has_whole_tiles || (row < m && col < n)) visit(row, col, part[y] + x);
        }
      }
    };
    finish(part, [&](const tile::epilogue<T>& epilogue) {
      each_chunk([&](int row, int col, T* sums) {
        chunk old = {};
        if (!may_lack_chunks || c.has_chunks) {
          old = *reinterpret_cast<const chunk*>(c.at(row, col));
        } else {
#pragma unroll
          for (int v = 0; v < near_a; ++v) old.element[v] = *c.at(row + v, col);
        }
#pragma unroll
        for (int v = 0; v < near_a; ++v) sums[v] = epilogue(sums[v], &old.element[v]);
      });
    });
    each_chunk([&](int row, int col, const T* sums) {
      if constexpr (may_lack_chunks)
        if (!c.has_chunks) {
#pragma unroll
          for (int v = 0; v < near_a; ++v) *c.at(row + v, col) = sums[v];
          return;
        }
      chunk some;
#pragma unroll
      for (int v = 0; v < near_a; ++v) some.element[v] = sums[v];
      if constexpr (stores_sums && near_a == wide)
        store_chunk(c.at(row, col), some);
      else
        *reinterpret_cast<chunk*>(c.at(row, col)) = some;
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(T (&part)[Cols][Rows]) {
#pragma unroll
    for (int y = 0; y < Cols; ++y)
#pragma unroll
      for (int x = 0; x < Rows; ++x) part[y][x] = T(0);
  }
  /// part <- alpha part + beta C; with(epilogue) does that where C is to be read. All of it is read before any is
  /// written, so that the loads overlap, and whether it is read is asked once, not for each output.
  template <class WithC>
  KOKKOS_FORCEINLINE_FUNCTION void finish(T (&part)[Cols][Rows], const WithC& with) const {
    const tile::epilogue<T>& epilogue = batch_.first.epilogue;
    if (epilogue.beta != T(0)) return with(epilogue);
#pragma unroll
    for (int y = 0; y < Cols; ++y)
#pragma unroll
      for (int x = 0; x < Rows; ++x) part[y][x] = epilogue(part[y][x], nullptr);
  }

  /// The outputs from row `row` and column `col` on.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile_within(const T* a, const T* b, const target& c, int row,
                                                        int col) const {
    const int first_row = tile::min(row, how_.m - Rows), first_col = tile::min(col, how_.n - Cols);
    const T* const at_a = a + first_row * how_.a.row_stride();
    const T* const at_b = b + first_col * how_.b.col_stride();
    T part[Cols][Rows];
    clear(part);
    if (how_.a.by_rows) {
      if (how_.b.by_rows)
        add_terms_at<true, true>(part, at_a, at_b);
      else
        add_terms_at<true, false>(part, at_a, at_b);
    } else {
      if (how_.b.by_rows)
        add_terms_at<false, true>(part, at_a, at_b);
      else
        add_terms_at<false, false>(part, at_a, at_b);
    }
    T* const out = c.at(first_row, first_col);
    const auto each_output = [&](const auto& visit) {
#pragma unroll
      for (int y = 0; y < Cols; ++y) {
        T* const column = out + y * how_.c.pitch;
#pragma unroll
        for (int x = 0; x < Rows; ++x)
          if (first_row + x >= row && first_col + y >= col) visit(part[y][x], column[x]);
      }
    };
    finish(part, [&](const tile::epilogue<T>& epilogue) {
      each_output([&](T& sum, const T& old) { sum = epilogue(sum, &old); });
    });
    each_output([](T sum, T& output) { output = sum; });
  }
  template <bool ByRowsA, bool ByRowsB>
  KOKKOS_FORCEINLINE_FUNCTION void add_terms_at(T (&part)[Cols][Rows], const T* a, const T* b) const {
    const int row_a = ByRowsA ? how_.a.pitch : 1, col_a = ByRowsA ? 1 : how_.a.pitch;
    const int row_b = ByRowsB ? how_.b.pitch : 1, col_b = ByRowsB ? 1 : how_.b.pitch;
#pragma unroll 4
    for (int p = 0; p < how_.k; ++p) {
      T left[Rows], right[Cols];
#pragma unroll
      for (int x = 0; x < Rows; ++x) left[x] = a[x * row_a + p * col_a];
#pragma unroll
      for (int y = 0; y < Cols; ++y) right[y] = b[p * row_b + y * col_b];
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x) part[y][x] = tile::multiply_add(left[x], right[y], part[y][x]);
    }
  }

  /// part <- the chains over all terms. `Turned`: each complex term has its factors the other way round, which is the
  /// caller's.
  template <bool Turned, int GroupsA, int GroupsB>
  KOKKOS_FORCEINLINE_FUNCTION void add_terms(T (&part)[Cols][Rows], const T* const (&at_a)[GroupsA],
                                             const T* const (&at_b)[GroupsB]) const {
    constexpr int terms = Chunks && (A == along::terms || B == along::terms) ? wide : 1;
    int p = 0;
    if constexpr (terms == 1) {
#pragma unroll terms_at_a_time
      for (; p < how_.k; ++p) multiply_add<1, Turned>(part, at_a, at_b, p);
    } else {  // k is a multiple of a chunk's terms
#pragma unroll 2
      for (; p < how_.k; p += terms) multiply_add<terms, Turned>(part, at_a, at_b, p);
    }
  }

  /// to[q][x] <- element x of an operand, `Terms` terms from p on.
  template <along Direction, int Terms, int Count, int Groups>
  KOKKOS_FORCEINLINE_FUNCTION static void load(T (&to)[Terms][Count], const T* const (&at)[Groups], int p, int step) {
    constexpr int near = Count / Groups;
    if constexpr (Chunks && Direction == along::terms && Terms > 1) {
#pragma unroll
      for (int x = 0; x < Count; ++x) {
        const auto some = *reinterpret_cast<const pack<T, Terms>*>(at[x] + p);
#pragma unroll
        for (int q = 0; q < Terms; ++q) to[q][x] = some.element[q];
      }
    } else {
#pragma unroll
      for (int q = 0; q < Terms; ++q)
#pragma unroll
        for (int g = 0; g < Groups; ++g) {
          const auto some = *reinterpret_cast<const pack<T, near>*>(at[g] + (p + q) * step);
#pragma unroll
          for (int v = 0; v < near; ++v) to[q][g * near + v] = some.element[v];
        }
    }
  }
  template <int Terms, bool Turned, int GroupsA, int GroupsB>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_add(T (&part)[Cols][Rows], const T* const (&at_a)[GroupsA],
                                                const T* const (&at_b)[GroupsB], int p) const {
    T left[Terms][Rows], right[Terms][Cols];
    load<A>(left, at_a, p, how_.a.col_stride());
    load<B>(right, at_b, p, how_.b.row_stride());
#pragma unroll
    for (int q = 0; q < Terms; ++q) {
#pragma unroll
      for (int x = 0; x < Rows; ++x) left[q][x] = tile::conjugate_if(batch_.first.conjugated_a, left[q][x]);
#pragma unroll
      for (int y = 0; y < Cols; ++y) right[q][y] = tile::conjugate_if(batch_.first.conjugated_b, right[q][y]);
#pragma unroll
      for (int y = 0; y < Cols; ++y)
#pragma unroll
        for (int x = 0; x < Rows; ++x)
          part[y][x] = Turned ? tile::multiply_add(right[q][y], left[q][x], part[y][x])
                              : tile::multiply_add(left[q][x], right[q][y], part[y][x]);
    }
  }

  const int thread_;
  typename layout::known_parameters how_;
  const tile::batch<T>& batch_;
  T* const scratch_;
};

}  // namespace abax::cuda
