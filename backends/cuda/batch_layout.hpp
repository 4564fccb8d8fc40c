// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of small products: how items lie in memory and in scratch, and how many of them a team has there.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "abax/detail/backends/cuda/access.hpp"
#include "abax/detail/tile/batch.hpp"
#include "abax/detail/tile/canon.hpp"
#include "abax/detail/tile/complex.hpp"

namespace abax::cuda {

/// e / by for e < 2^16 and by < 2^15, without a division.
struct divider {
  unsigned by = 1, factor = 1u << 31;

  divider() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit divider(index_t by_)
      : by(static_cast<unsigned>(by_)), factor(static_cast<unsigned>(((index_t(1) << 31) + by_ - 1) / by_)) {}
  KOKKOS_FORCEINLINE_FUNCTION int operator()(int e) const {
    return static_cast<int>(std::uint64_t(static_cast<unsigned>(e)) * factor >> 31);
  }
};

/// How the items of an operand lie in memory, and their images in scratch: line after line, in the direction that is
/// nearer to memory's own, one item behind the other. Between lines, and between items, there may be gaps, so that like
/// places of neighbours differ in banks.
struct item_image {
  int length, size;  ///< of a line, and of all lines
  int pitch, room;   ///< the same with gaps
  int item_gap;      ///< behind the last line
  bool by_rows;      ///< lines are rows
  bool flat;         ///< memory looks like the images without gaps, whose chunks of 16 bytes no gap divides
  index_t near, far, step;
  divider line_of, item_of;

  item_image() = default;
  /// `gap` elements where lines are multiples of `all_banks` bytes.
  template <class Matrix>
  item_image(const Matrix& m, index_t step_, bool by_pointers, int gap, int all_banks) : step(step_) {
    const index_t row = m.rows == 1 ? INT64_MAX : std::abs(m.row_stride);
    const index_t col = m.cols == 1 ? INT64_MAX : std::abs(m.col_stride);
    by_rows = col < row;
    length = static_cast<int>(by_rows ? m.cols : m.rows);
    size = static_cast<int>(m.rows * m.cols);
    pitch = length + (length * int(sizeof(*m.data)) % all_banks == 0 ? gap : 0);
    room = size / length * pitch;
    item_gap = 0;
    near = by_rows ? m.col_stride : m.row_stride;
    far = by_rows ? m.row_stride : m.col_stride;
    flat = !by_pointers && (near == 1 || length == 1) && (far == length || size == length) && step == size &&
           lies_on_elements(m);
    line_of = divider(length);
    item_of = divider(size);
  }
  /// Makes gaps for lanes that read, or write, an element each. Neighbouring lanes have neighbouring tiles of an item:
  /// row_lanes x col_lanes of them, where A has 1 column of lanes and B has 1 row. Lines are an odd multiple of a chunk
  /// apart, and items an odd multiple of what the lanes of an item have side by side, so that what a pass of scratch
  /// serves lies in distinct banks.
  template <class Matrix>
  void spread(const Matrix& m, int row_lanes, int col_lanes, index_t tiles) {
    constexpr int element = sizeof(*m.data), chunk = 16 / element, pass = 128 / element;
    if (size % chunk != 0) return;  // memory's chunks would not stay whole
    const auto odd_multiple = [](int count, int step) { return (tile::ceil_div(count, step) | 1) * step; };
    const int across = tile::min(by_rows ? row_lanes : col_lanes, pass / chunk);
    if (pass / std::gcd(pass, pitch) < across) pitch = odd_multiple(pitch, chunk);
    const int lines = size / length * pitch;
    room = tiles < pass ? odd_multiple(lines, tile::ceil_div(row_lanes * col_lanes, chunk) * chunk) : lines;
    item_gap = room - lines;
    flat = flat && (room == size || reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0);
  }
  /// Makes a gap of a chunk between items whose size is a multiple of all banks'.
  void keep_apart(int chunk) {
    item_gap = room % (8 * chunk) == 0 ? chunk : 0;
    room += item_gap;
  }
  KOKKOS_FORCEINLINE_FUNCTION int row_stride() const { return by_rows ? pitch : 1; }
  KOKKOS_FORCEINLINE_FUNCTION int col_stride() const { return by_rows ? 1 : pitch; }
  /// Where element e of all images without gaps lies.
  KOKKOS_FORCEINLINE_FUNCTION int place(int e) const { return e + line_of(e) * (pitch - length); }
  KOKKOS_FORCEINLINE_FUNCTION int place_with_item_gaps(int e) const { return place(e) + item_of(e) * item_gap; }
};

/// What a batch is to a team, which has `group` items in scratch.
struct batch_parameters {
  item_image a, b, c;
  int m, n, k;
  int group;
  int at_b, at_c;  ///< elements from the begin of scratch to B's images and to C's
  divider tiles_of_item, row_tiles;
  bool by_warps;  ///< an item's tiles are whole warps of 8 x 4
};

/// `threads` threads, whose register tiles have rows x cols outputs, and `bytes` of scratch. On tensor cores a warp has
/// such a tile, of 16 x 8 outputs times whole numbers.
struct batch_shape {
  int threads, rows, cols, bytes, residents;
  bool on_tensor_cores = false;
  bool stores_sums = false;   ///< from registers to C; else by way of scratch
  bool spaces_items = false;  ///< gaps in scratch also between items
  int extent = 0;  ///< compiled for items of as many rows, columns and terms, one behind the other; 0: for any
};

/// The layout of a batch's groups for teams of Shape; A, B and Chunks as in batch_product.
template <class T, batch_shape Shape, along A, along B, bool Chunks>
class batch_layout {
  static constexpr int Rows = Shape.rows, Cols = Shape.cols, wide = 16 / sizeof(T);
  static constexpr bool on_tensor_cores = Shape.on_tensor_cores, stores_sums = Shape.stores_sums;
  static constexpr bool is_complex = tile::is_complex<T>;
  static constexpr index_t most_tiles = (1 << 15) - 1;  // of a group, which dividers count

 public:
  static constexpr bool has_item_gaps = is_complex || Shape.spaces_items;
  static constexpr int extent = Shape.extent;
  /// No tile has outputs that are not there.
  static constexpr bool has_whole_tiles = extent > 0 && extent % Rows == 0 && extent % Cols == 0;
  static_assert(extent == 0 || (Chunks && stores_sums && has_whole_tiles && !has_item_gaps));
  static_assert(extent * sizeof(T) % 128 == 0);  // there is a gap behind each line
  /// Tiles that lie within their item.
  static constexpr bool lies_within = !Chunks && !is_complex && Rows > 4;
  static constexpr int workers = on_tensor_cores ? Shape.threads / 32 : Shape.threads;  // for tiles

  /// A group has as many items as scratch has room for, but no more than leave a group for each of `teams` teams; fewer
  /// where that gives enough more threads a tile to be worth the empty scratch. 0: none.
  static batch_parameters parameters_for(const tile::batch<T>& batch, index_t teams) {
    batch_parameters how = known(lay_out(batch));
    if (how.group == 0) return how;
    const index_t tiles = how.tiles_of_item.by, item = room_of(how);
    const index_t room =
        tile::min<index_t>(tile::min(most_elements / item, most_tiles / tiles), tile::ceil_div(batch.items(), teams));
    // Teams wait for all of a group to come: threads without a tile cost more than scratch without items.
    constexpr double emptiness = 0.25;
    const auto at_most = [&](index_t items) { return 1 - emptiness * (1 - double(items) / double(room)); };
    const auto worth = [&](index_t items) {
      const index_t given = items * tiles, taken = tile::ceil_div<index_t>(given, workers) * workers;
      return at_most(items) * double(given) / double(taken);
    };
    how.group = static_cast<int>(tile::max<index_t>(1, room));
    double best = worth(how.group);
    for (index_t items = room - 1; 2 * items > room && items > 0 && at_most(items) > best; --items)
      if (const double now = worth(items); now > best) {
        best = now;
        how.group = static_cast<int>(items);
      }
    const auto region = [&](const item_image& image) {
      return static_cast<int>(tile::ceil_div<index_t>(index_t(how.group) * image.room, wide) + 1) * wide;
    };
    how.at_b = region(how.a);
    how.at_c = how.at_b + region(how.b);
    return how;
  }
  /// The same, of which the compiler knows what Shape says: a copy, if it says anything.
  using known_parameters = std::conditional_t<(extent > 0), const batch_parameters, const batch_parameters&>;
  KOKKOS_FORCEINLINE_FUNCTION static known_parameters known(const batch_parameters& given) {
    if constexpr (extent == 0) {
      return given;
    } else {
      batch_parameters how = given;
      how.m = how.n = how.k = extent;
      const auto know = [](item_image& image, bool by_rows) {
        image.length = extent;
        image.size = extent * extent;
        image.pitch = extent + gap;
        image.room = extent * image.pitch;
        image.by_rows = by_rows;
        image.flat = true;
        image.line_of = divider(extent);
      };
      know(how.a, A == along::terms);
      know(how.b, B == along::outer);
      how.tiles_of_item = divider(extent / Rows * (extent / Cols));
      how.row_tiles = divider(extent / Rows);
      how.by_warps = is_by_warps(extent / Rows, extent / Cols);
      return how;
    }
  }
  /// Whether an item has room, and the images lie as A, B and Chunks say.
  static bool serves(const tile::batch<T>& batch) {
    const batch_parameters how = lay_out(batch);
    if (how.group == 0) return false;
    if (extent > 0 && (how.m != extent || how.n != extent || how.k != extent)) return false;
    if (extent > 0 && (!how.a.flat || !how.b.flat || !how.c.flat)) return false;
    if (!Chunks) return true;
    if (on_tensor_cores && how.k % 4 != 0) return false;
    const auto whole = [&](const item_image& image, const T* data) {
      return image.length % wide == 0 && (!image.flat || reinterpret_cast<std::uintptr_t>(data) % 16 == 0);
    };
    return how.a.by_rows == (A == along::terms) && how.b.by_rows == (B == along::outer) && !how.c.by_rows &&
           whole(how.a, batch.first.a.data) && whole(how.b, batch.first.b.data) && whole(how.c, batch.first.c.data);
  }

 private:
  static constexpr index_t most_elements = Shape.bytes / index_t(sizeof(T)) - 9 * wide;  // of images
  // Four neighbours of eight lines are what a warp reads for tensor cores: lines must be an odd multiple of four
  // doubles apart.
  static constexpr int gap = on_tensor_cores ? 4 : Chunks ? wide : 0, all_banks = on_tensor_cores ? 64 : 128;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_by_warps(index_t row_tiles, index_t col_tiles) {
    return Chunks && !on_tensor_cores && row_tiles % 8 == 0 && col_tiles % 4 == 0;
  }
  static index_t room_of(const batch_parameters& how) {
    return how.a.room + how.b.room + (stores_sums ? 0 : how.c.room);
  }
  /// How an item's operands lie in scratch. A group of 1; 0 where it has no room there.
  static batch_parameters lay_out(const tile::batch<T>& batch) {
    const tile::product<T>& p = batch.first;
    batch_parameters how;
    how.group = 0;
    constexpr index_t most = most_elements;
    if (p.c.rows > most || p.c.cols > most || p.terms() > tile::canon_block_of<T>) return how;
    if ((stores_sums ? 0 : p.c.rows * p.c.cols) + (p.c.rows + p.c.cols) * p.terms() > most) return how;
    const bool by_pointers = batch.c_at != nullptr;
    // Where A's terms are contiguous, neighbouring lanes read neighbouring lines, 16 bytes at a time: from two sets of
    // banks, or four, unless lines are an odd multiple of that apart. Of few terms the gaps cost more.
    const bool spread_lines = A == along::terms && sizeof(T) == 4 && !on_tensor_cores && p.terms() > 32;
    how.a = item_image(p.a, batch.a_step, by_pointers, gap, spread_lines ? 32 : all_banks);
    how.b = item_image(p.b, batch.b_step, by_pointers, gap, all_banks);
    how.c = item_image(p.c, batch.c_step, by_pointers, gap, all_banks);
    how.m = static_cast<int>(p.c.rows);
    how.n = static_cast<int>(p.c.cols);
    how.k = static_cast<int>(p.terms());
    const index_t row_tiles = tile::ceil_div<index_t>(how.m, Rows), col_tiles = tile::ceil_div<index_t>(how.n, Cols);
    const index_t tiles = row_tiles * col_tiles;
    if (tiles > most_tiles) return how;
    if (lies_within && (how.m < Rows || how.n < Cols || how.c.by_rows)) return how;
    if constexpr (Shape.spaces_items)
      for (item_image* image : {&how.a, &how.b, &how.c}) image->keep_apart(wide);
    if constexpr (is_complex) {
      how.a.spread(p.a, static_cast<int>(row_tiles), 1, tiles);
      how.b.spread(p.b, 1, static_cast<int>(col_tiles), tiles);
      how.c.spread(p.c, static_cast<int>(row_tiles), static_cast<int>(col_tiles), tiles);
    }
    if (room_of(how) > most) return how;
    how.group = 1;
    how.tiles_of_item = divider(tiles);
    how.row_tiles = divider(row_tiles);
    how.by_warps = is_by_warps(row_tiles, col_tiles);
    return how;
  }
};

}  // namespace abax::cuda
