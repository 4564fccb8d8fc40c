// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The integer canon in code: a line's grid, an element's integer on it, a sum's way back to floating point; and the
/// steps of such a product as problems of their own.
///
/// A line is a row of op(A) or a column of op(B). All is done on bits and integers: no rounding mode and no flush
/// to zero of the calling thread can show.
#include <Kokkos_BitManipulation.hpp>
#include <type_traits>
#include <utility>

#include "abax/detail/tile/byte_planes.hpp"
#include "abax/detail/tile/moduli.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::tile {

template <class T>
struct ieee;
template <>
struct ieee<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr bits infinity = 0x7F800000U, nan = 0x7FC00000U;
};
template <>
struct ieee<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr bits infinity = 0x7FF0000000000000U, nan = 0x7FF8000000000000U;
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T one_nan() {
  constexpr typename ieee<T>::bits bits = ieee<T>::nan;
  return Kokkos::bit_cast<T>(bits);
}

/// The bits of |x|: as integers they compare as the numbers do, and a NaN is larger than an infinity.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION typename ieee<T>::bits absolute_bits(T x) {
  using bits = typename ieee<T>::bits;
  return Kokkos::bit_cast<bits>(x) & static_cast<bits>(~bits(0) >> 1);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_negative(T x) {
  using bits = typename ieee<T>::bits;
  return Kokkos::bit_cast<bits>(x) >> (8 * sizeof(T) - 1) != 0;
}

/// What an element of a line that holds an infinity is to its product: the sign of a number, twice that of an infinity.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION int class_of(T x) {
  const auto m = absolute_bits(x);
  const int size = m == 0 ? 0 : m < ieee<T>::infinity ? 1 : 2;
  return is_negative(x) ? -size : size;
}

/// The grid of a line whose largest element has the magnitude `largest`: elements become integers by a factor 2^shift.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION int shift_of(typename ieee<T>::bits largest, int bits) {
  constexpr int mantissa = ieee<T>::mantissa, bias = ieee<T>::bias;
  if (largest == 0 || largest >= ieee<T>::infinity) return 0;  // all integers are 0, or not asked for
  const int field = static_cast<int>(largest >> mantissa);
  const int exponent =
      field != 0 ? field - bias : 63 - Kokkos::countl_zero(static_cast<std::uint64_t>(largest)) + 1 - bias - mantissa;
  return bits - 1 - exponent;
}

/// x 2^shift, rounded to the nearest integer, ties to even; |x 2^shift| < 2^62, x finite.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t on_grid(T x, int shift) {
  constexpr int mantissa = ieee<T>::mantissa, bias = ieee<T>::bias;
  const auto m = static_cast<std::uint64_t>(absolute_bits(x));
  const int field = static_cast<int>(m >> mantissa);
  const std::uint64_t hidden = std::uint64_t(field != 0) << mantissa;
  const std::uint64_t digits = (m & ((std::uint64_t(1) << mantissa) - 1)) | hidden;
  const int up = (field != 0 ? field : 1) - bias - mantissa + shift;
  const int down = min(-up, mantissa + 2);  // from there on all elements are less than a half
  std::uint64_t q;
  if (up >= 0) {
    q = digits << up;
  } else {
    const std::uint64_t half = std::uint64_t(1) << (down - 1);
    q = (digits + half - 1 + (digits >> down & 1)) >> down;
  }
  return is_negative(x) ? -static_cast<std::int64_t>(q) : static_cast<std::int64_t>(q);
}
/// Whether an element, which is finite, lies off its line's grid.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool loses_bits(T x, int shift) {
  constexpr int mantissa = ieee<T>::mantissa, bias = ieee<T>::bias;
  const auto m = static_cast<std::uint64_t>(absolute_bits(x));
  const int field = static_cast<int>(m >> mantissa);
  const std::uint64_t hidden = std::uint64_t(field != 0) << mantissa;
  const std::uint64_t digits = (m & ((std::uint64_t(1) << mantissa) - 1)) | hidden;
  const int down = -((field != 0 ? field : 1) - bias - mantissa + shift);
  return down > 0 && (down > mantissa ? digits != 0 : (digits & ((std::uint64_t(1) << down) - 1)) != 0);
}

/// The number with the leading 64 bits `top`, whose first is 1 and whose last is set if anything follows, and that
/// first bit worth 2^exponent; rounded once to T: to nearest, ties to even, with gradual underflow and overflow to
/// infinity.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded(bool negative, std::uint64_t top, int exponent) {
  using bits = typename ieee<T>::bits;
  constexpr int mantissa = ieee<T>::mantissa, bias = ieee<T>::bias;
  constexpr int least = 1 - bias - mantissa;  // the exponent of the smallest subnormal number
  const bits sign = static_cast<bits>(negative) << (8 * sizeof(T) - 1);
  if (exponent > bias) return Kokkos::bit_cast<T>(static_cast<bits>(sign | ieee<T>::infinity));
  const int unit = max(exponent - mantissa, least);  // of the result's last place
  const int down = unit - (exponent - 63);
  if (down > 64) return Kokkos::bit_cast<T>(sign);
  std::uint64_t digits;
  if (down == 64) {
    digits = top > std::uint64_t(1) << 63 ? 1 : 0;
  } else {
    const std::uint64_t kept = top >> down, rest = top << (64 - down);
    constexpr std::uint64_t half = std::uint64_t(1) << 63;
    digits = kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  }
  return Kokkos::bit_cast<T>(static_cast<bits>(sign | ((static_cast<bits>(unit - least) << mantissa) + digits)));
}

/// S 2^-shift, rounded once to T, for an S of which the remainders are remainder(t); 0 gives +0.
template <class T, int Count, class Remainder>
KOKKOS_FUNCTION T number_of(const Remainder& remainder, int shift) {
  using constants = reconstruction<Count>;
  constexpr int words = constants::words;
  constexpr constants c = reconstruction_of<Count>;
  std::uint64_t x[words] = {}, fraction[2] = {};
  const auto add = [&]<int t>(std::integral_constant<int, t>) {
    const std::uint64_t r = remainder(t);
    for (int w = 0; w < words; ++w) x[w] += r * c.weight[t][w];
    for (int w = 0; w < 2; ++w) fraction[w] += r * c.fraction[t][w];
  };
  [&]<int... t>(std::integer_sequence<int, t...>) { (add(std::integral_constant<int, t>()), ...); }
  (std::make_integer_sequence<int, Count>());
  const auto quotient = static_cast<std::int64_t>((fraction[1] + (fraction[0] >> 32) + (std::uint64_t(1) << 31)) >> 32);
  std::uint32_t s[words];
  std::int64_t carry = 0;
  for (int w = 0; w < words; ++w) {
    carry += static_cast<std::int64_t>(x[w]) - quotient * static_cast<std::int64_t>(c.product[w]);
    s[w] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  const bool negative = s[words - 1] >> 31 != 0;
  std::uint64_t more = negative ? 1 : 0;
  for (int w = 0; w < words; ++w) {
    more += negative ? ~s[w] : s[w];
    s[w] = static_cast<std::uint32_t>(more);
    more >>= 32;
  }
  // The leading 64 bits: the highest word that is not 0, the two below it, and whether more follows. Words are shifted
  // until the highest is not 0: no index depends on them, and so they stay in registers.
  int high = words - 1;
  for (int shifts = 1; shifts < words; ++shifts) {
    if (s[words - 1] != 0) break;
    for (int w = words - 1; w > 0; --w) s[w] = s[w - 1];
    s[0] = 0;
    --high;
  }
  const std::uint64_t first = s[words - 1], second = words > 1 ? s[words - 2] : 0, third = words > 2 ? s[words - 3] : 0;
  if (first == 0) return T(0);
  bool follows = false;
  for (int w = 0; w < words - 3; ++w) follows = follows || s[w] != 0;
  const int zeros = Kokkos::countl_zero(static_cast<std::uint32_t>(first));
  const std::uint64_t low = third << zeros;
  std::uint64_t top = ((first << 32 | second) << zeros) | low >> 32;
  if ((low & 0xFFFFFFFFU) != 0 || follows) top |= 1;
  return rounded<T>(negative, top, 32 * high + 31 - zeros - shift);
}

/// The t-th modulus, also where no host's memory can be read.
KOKKOS_FORCEINLINE_FUNCTION modulus modulus_number(int t) {
  constexpr modulus_table table = modulus_numbers;
  return table.number[t];
}

/// v modulo p, in [-p/2, p/2]; |v| < 2^18. Rounded right: v / p stays 2^-9 off a half where p is odd, and is known to
/// 2^-12; for p = 256 both ends are the same remainder.
KOKKOS_FORCEINLINE_FUNCTION constexpr int centred_remainder(int v, const modulus& m) {
  const auto quotient = static_cast<int>((std::int64_t(v) * m.reciprocal + (std::int64_t(1) << 31)) >> 32);
  return v - quotient * m.value;
}
/// A number with the same remainder: |v| becomes 2^16 + |v| / 2^8 at most.
KOKKOS_FORCEINLINE_FUNCTION constexpr int folded(int v, const modulus& m) {
  return (v & 0xFFFF) + (v >> 16) * m.power[1];
}
/// v modulo p for any 32-bit v, likewise.
KOKKOS_FORCEINLINE_FUNCTION constexpr int remainder_of(std::int32_t v, const modulus& m) {
  return centred_remainder(folded(folded(v, m), m), m);
}
/// q modulo p for |q| <= 2^62, likewise.
KOKKOS_FORCEINLINE_FUNCTION constexpr int remainder_of(std::int64_t q, const modulus& m) {
  const auto piece = [=](int i) { return static_cast<int>(q >> (16 * i) & 0xFFFF); };
  const int sum = piece(0) + piece(1) * m.power[1] + piece(2) * m.power[2] + static_cast<int>(q >> 48) * m.power[3];
  return centred_remainder(folded(sum, m), m);
}
/// As a byte without sign, in [0, p).
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint8_t unsigned_remainder(int centred, int p) {
  return static_cast<std::uint8_t>(centred < 0 ? centred + p : centred);
}

/// What the elements of two lines make, given the classes of their pairs one after another: rule 6 of the canon.
struct extended_sum {
  bool positive = false, negative = false, invalid = false;

  KOKKOS_FORCEINLINE_FUNCTION void add(int a, int b) {
    const int product = a * b;  // 2 or more in magnitude: an infinity
    const bool infinite = a == 2 || a == -2 || b == 2 || b == -2;
    invalid = invalid || (infinite && product == 0);
    positive = positive || (infinite && product > 0);
    negative = negative || (infinite && product < 0);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T value() const {
    using bits = typename ieee<T>::bits;
    if (invalid || (positive && negative)) return one_nan<T>();
    constexpr bits sign = bits(1) << (8 * sizeof(T) - 1);
    return Kokkos::bit_cast<T>(static_cast<bits>(ieee<T>::infinity | (negative ? sign : bits(0))));
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// The steps, each a launch.

/// peaks[piece lines + i] <- the largest magnitude of line i in that piece of its terms.
template <class T>
struct line_peaks {
  static constexpr int lines_of_team = 64;
  /// Of lines of so many terms: few enough pieces that all can be asked for each of them.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr index_t terms_of_piece(index_t terms) {
    return max<index_t>(1024, ceil_div<index_t>(terms, 64));
  }
  matrix<const T> lines;  ///< a line is a row
  typename ieee<T>::bits* peaks;
  index_t terms;  ///< of a piece
  int pieces;     ///< divisions take their time: it is known before teams ask for it

  line_peaks(const matrix<const T>& x, typename ieee<T>::bits* to)
      : lines(x),
        peaks(to),
        terms(terms_of_piece(x.cols)),
        pieces(static_cast<int>(ceil_div(x.cols, terms_of_piece(x.cols)))) {}
  /// That of a team.
  KOKKOS_FORCEINLINE_FUNCTION matrix<const T> piece(index_t line, index_t number) const {
    return lines.block(line, number * terms, lines_of_team, terms);
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return lines.rows * pieces; }
  KOKKOS_FORCEINLINE_FUNCTION index_t teams() const { return ceil_div<index_t>(lines.rows, lines_of_team) * pieces; }
  /// Once they are made: line i's largest magnitude.
  KOKKOS_FORCEINLINE_FUNCTION typename ieee<T>::bits largest_of(index_t i) const {
    typename ieee<T>::bits found = 0;
    for (int piece = 0; piece < pieces; ++piece) found = max(found, peaks[piece * lines.rows + i]);
    return found;
  }
};

/// A matrix of bytes as a plane of lines, 128 added to each where engines want no signs; and each line's sum.
struct byte_lines {
  static constexpr int lines_of_team = 16;
  matrix<const std::int8_t> lines;
  bool are_unsigned;
  byte_planes<std::uint8_t> planes;
  std::int32_t* sums;  ///< modulo 2^32

  KOKKOS_FORCEINLINE_FUNCTION index_t teams() const { return ceil_div<index_t>(planes.room, lines_of_team); }
};

/// The lines' integers, as their remainders, and each line's largest magnitude.
template <class T>
struct line_residues {
  static constexpr int lines_of_team = 32;
  static constexpr index_t terms_of_team = 512;
  line_peaks<T> peaks;  ///< made before
  int bits;
  bool are_unsigned;  ///< remainders in [0, p); if not, centred ones
  index_t first;      ///< the first of the terms that `planes` takes, at most as many as its stride
  byte_planes<std::uint8_t> planes;
  typename ieee<T>::bits* largest;

  KOKKOS_FORCEINLINE_FUNCTION index_t line_tiles() const { return ceil_div<index_t>(planes.room, lines_of_team); }
  KOKKOS_FORCEINLINE_FUNCTION index_t teams() const {
    return line_tiles() * ceil_div<index_t>(planes.stride, terms_of_team);
  }
};

/// How many of line i's elements lie off the grid of a line whose largest element has the magnitude `largest`; none of
/// a line that is not finite.
template <class T>
KOKKOS_FUNCTION std::uint64_t losses_of(const matrix<const T>& lines, index_t i, typename ieee<T>::bits largest,
                                        int bits) {
  std::uint64_t lost = 0;
  if (largest >= ieee<T>::infinity) return lost;
  const int shift = shift_of<T>(largest, bits);
  for (index_t p = 0; p < lines.cols; ++p) lost += loses_bits(lines(i, p), shift) ? 1 : 0;
  return lost;
}

/// counts[team] <- how many elements of a team's lines and piece of terms lie off their line's grid.
template <class T>
struct line_losses {
  line_peaks<T> peaks;  ///< made before
  int bits;
  std::uint64_t* counts;  ///< one for each team of line_peaks
};

/// What a line counts in a check modulo 2^64: odd, so that no single wrong sum is missed, and less than 2^31.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int32_t check_weight(index_t line) {
  auto z = static_cast<std::uint32_t>(line) + static_cast<std::uint32_t>(line >> 32) * 0xC2B2AE3DU + 0x9E3779B9U;
  z = (z ^ (z >> 16)) * 0x85EBCA6BU;  // MurmurHash3's last steps
  z = (z ^ (z >> 13)) * 0xC2B2AE35U;
  return static_cast<std::int32_t>((z ^ (z >> 16)) >> 1) | 1;
}
/// Lines of the two operands have different weights.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int32_t row_weight(index_t i) { return check_weight(2 * i); }
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int32_t col_weight(index_t j) { return check_weight(2 * j + 1); }

/// weighed[(t tiles + tile) terms + p] <- the sum of the bytes p of the tile's lines of plane t, each times its line's
/// weight.
struct line_weights {
  static constexpr index_t terms_of_team = 512;
  byte_planes<const std::uint8_t> planes;
  bool are_unsigned, are_rows;
  int lines_of_tile;
  std::int64_t* weighed;
  index_t terms = planes.stride;  ///< a multiple of 64

  KOKKOS_FORCEINLINE_FUNCTION index_t tiles() const { return ceil_div<index_t>(planes.lines, lines_of_tile); }
  KOKKOS_FORCEINLINE_FUNCTION index_t pieces() const { return ceil_div(terms, terms_of_team); }
  KOKKOS_FORCEINLINE_FUNCTION index_t teams() const { return pieces() * tiles() * planes.count; }
  KOKKOS_FORCEINLINE_FUNCTION index_t size() const { return planes.count * tiles() * terms; }
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t weight(index_t line) const {
    return are_rows ? row_weight(line) : col_weight(line);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t* of(int t, index_t tile) const {
    return weighed + (t * tiles() + tile) * terms;
  }
};

/// Rows that remainders of C take: threads store several at once.
KOKKOS_FORCEINLINE_FUNCTION constexpr index_t remainder_stride(index_t rows) {
  return ceil_div<index_t>(rows, 16) * 16;
}

/// How a product of residues is cut. Row tiles of one modulus follow one another in bands of `band` column tiles, which
/// share what the cache below scratch holds. `together` neighbouring column tiles are made at once: where C ends, some
/// of them may lie outside.
struct residue_tile_shape {
  int rows = 0, cols = 0, band = 1, together = 1;
};
struct residue_tiles {
  residue_tile_shape shape;
  index_t row_tiles, col_tiles;
  int count;

  KOKKOS_FORCEINLINE_FUNCTION residue_tiles(const residue_tile_shape& s, index_t rows, index_t cols, int moduli)
      : shape(s),
        row_tiles(ceil_div<index_t>(rows, s.rows)),
        col_tiles(ceil_div<index_t>(cols, s.cols * s.together) * s.together),
        count(moduli) {}
  KOKKOS_FORCEINLINE_FUNCTION index_t all() const { return row_tiles * col_tiles * count; }
  struct place {
    int t;
    index_t row, col;
  };
  KOKKOS_FORCEINLINE_FUNCTION place place_of(index_t n) const {
    const index_t of_modulus = row_tiles * col_tiles, at = n % of_modulus;
    const index_t first = at / (shape.band * row_tiles) * shape.band, within = at - first * row_tiles;
    const index_t height = min<index_t>(shape.band, col_tiles - first);
    return {static_cast<int>(n / of_modulus), within / height * shape.rows, (first + within % height) * shape.cols};
  }
  /// By modulus, row and column of tiles.
  KOKKOS_FORCEINLINE_FUNCTION index_t number_of(int t, index_t row_tile, index_t col_tile) const {
    return (t * row_tiles + row_tile) * col_tiles + col_tile;
  }
};

/// How a machine multiplies bytes.
struct byte_engine {
  plane_order planes;
  residue_tile_shape tile;
  bool left_unsigned;        ///< a's remainders are in [0, p); else both operands' are centred ones
  double c_in_cache = 1e18;  ///< bytes of C's remainders that are soon read again; more than there are: no cache counts
};

/// Terms of which a sum of products of bytes fits 32 bits, and another remainder with it.
inline constexpr index_t exact_terms = index_t(1) << 16;

/// c(t, i, j) <- [c(t, i, j) +] sum over p of a(t, i, p) b(t, j, p), modulo the t-th modulus, in [0, p).
struct residue_product {
  byte_planes<const std::uint8_t> a, b;  ///< as `line_residues` left them: a's unsigned where the machine says so
  index_t first, terms;                  ///< p is from `first` on, a multiple of 128; `terms` is exact_terms at most
  std::uint8_t* c;                       ///< at (t cols + j) remainder_stride(rows) + i
  bool adds;
  /// sums[tile] <- the sum of its sums of integers, each times the weights of its row and its column, modulo 2^64;
  /// null: no check was asked for.
  std::uint64_t* sums = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION index_t rows() const { return a.lines; }
  KOKKOS_FORCEINLINE_FUNCTION index_t cols() const { return b.lines; }
  KOKKOS_FORCEINLINE_FUNCTION residue_tiles tiles(const residue_tile_shape& shape) const {
    return {shape, rows(), cols(), a.count};
  }
  /// The remainders of column j from row i on.
  KOKKOS_FORCEINLINE_FUNCTION std::uint8_t* remainders(int t, index_t i, index_t j) const {
    return c + (t * cols() + j) * remainder_stride(rows()) + i;
  }
};

/// faults <- whether each tile's weighed sum is another one than that of its lines: v C w = (v A) (B w).
struct residue_check {
  static constexpr int rows_of_team = 4, cols_of_team = 4;  ///< tiles
  residue_tiles tiles;
  line_weights a, b;     ///< of the same tiles
  index_t first, terms;  ///< of the product
  const std::uint64_t* sums;
  std::uint8_t* faults;  ///< at number_of(t, row_tile, col_tile)

  /// Of tiles that have lines: an engine may compute more.
  KOKKOS_FORCEINLINE_FUNCTION index_t all() const { return tiles.count * a.tiles() * b.tiles(); }
  KOKKOS_FORCEINLINE_FUNCTION index_t number_of(int t, index_t row_tile, index_t col_tile) const {
    return (t * a.tiles() + row_tile) * b.tiles() + col_tile;
  }
  KOKKOS_FORCEINLINE_FUNCTION index_t row_groups() const { return ceil_div<index_t>(a.tiles(), rows_of_team); }
  KOKKOS_FORCEINLINE_FUNCTION index_t col_groups() const { return ceil_div<index_t>(b.tiles(), cols_of_team); }
  KOKKOS_FORCEINLINE_FUNCTION index_t teams() const { return tiles.count * row_groups() * col_groups(); }
  /// From the product of the tile's weighed lines.
  KOKKOS_FORCEINLINE_FUNCTION void finish(int t, index_t row_tile, index_t col_tile, std::uint64_t product) const {
    const bool is_right = sums[tiles.number_of(t, row_tile, col_tile)] == product;
    faults[number_of(t, row_tile, col_tile)] = is_right ? 0 : 1;
  }
};

/// C <- alpha A B + beta C modulo 2^32.
struct byte_product {
  residue_product product;  ///< of one plane, whose sums no modulus reduces
  matrix<std::int32_t> c;
  std::int32_t alpha, beta;
  bool is_raised;              ///< A's bytes are 128 too large
  const std::int32_t* sums_b;  ///< of B's lines

  /// C(i, j) from what the bytes sum up to; it is not read if beta == 0.
  KOKKOS_FORCEINLINE_FUNCTION void finish(index_t i, index_t j, std::int32_t sum) const {
    const auto raised = is_raised ? 128U * static_cast<std::uint32_t>(sums_b[j]) : 0U;
    std::uint32_t r = static_cast<std::uint32_t>(alpha) * (static_cast<std::uint32_t>(sum) - raised);
    if (beta != 0) r += static_cast<std::uint32_t>(beta) * static_cast<std::uint32_t>(c(i, j));
    c(i, j) = static_cast<std::int32_t>(r);
  }
};

/// C <- alpha T + beta C from the remainders of S by `Count` moduli, for a block of the product's C.
template <class T, int Count, class Functor = no_functor>
struct residue_sum {
  using bits_type = typename ieee<T>::bits;
  static constexpr int rows_of_team = 256, cols_of_team = 8;
  tile::product<T, Functor> product;
  index_t row, col, rows, cols;            ///< the block
  const std::uint8_t* remainders;          ///< as `residue_product` left them
  const bits_type *largest_a, *largest_b;  ///< of the block's lines
  int bits;

  KOKKOS_FORCEINLINE_FUNCTION index_t stride() const { return remainder_stride(rows); }
  KOKKOS_FORCEINLINE_FUNCTION index_t plane() const { return stride() * cols; }
  /// T of element (i, j) of the block where a line has an infinity or a NaN.
  KOKKOS_FUNCTION T special(index_t i, index_t j) const {
    if (max(largest_a[i], largest_b[j]) > ieee<T>::infinity) return one_nan<T>();
    extended_sum sum;
    for (index_t p = 0; p < product.terms(); ++p)
      sum.add(class_of(product.a(row + i, p)), class_of(product.b(p, col + j)));
    return sum.template value<T>();
  }
  /// T of any element of the block.
  KOKKOS_FUNCTION T value(index_t i, index_t j) const {
    if (max(largest_a[i], largest_b[j]) >= ieee<T>::infinity) return special(i, j);
    const std::uint8_t* r = remainders + j * stride() + i;
    return number_of<T, Count>([=, step = plane()](int t) { return r[t * step]; },
                               shift_of<T>(largest_a[i], bits) + shift_of<T>(largest_b[j], bits));
  }
  KOKKOS_FORCEINLINE_FUNCTION T* place(index_t i, index_t j) const { return &product.c(row + i, col + j); }
  /// What C gets there.
  KOKKOS_FUNCTION T result(index_t i, index_t j, T value) const {
    return product.ended(row + i, col + j, product.epilogue(value, place(i, j)));
  }
  KOKKOS_FUNCTION void finish(index_t i, index_t j, T value) const { *place(i, j) = result(i, j, value); }
};

}  // namespace abax::tile
