// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The loops of products by way of integers that any compiler vectorises, and all of them gathered into one table.
#include <cstring>

#include "kernel_integer_product.hpp"
#include "scalar.hpp"

namespace abax::openmp {
namespace {

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <class T>
void peaks(index_t lines, index_t terms, const T* x, index_t stride_line, index_t stride_term,
           typename magnitude_bits<T>::type* largest) {
  using bits = typename magnitude_bits<T>::type;
  const auto magnitude = [](const T& value) { return static_cast<bits>(bits_as<bits>(value) << 1 >> 1); };
  if (stride_line == 1) {
    for (index_t p = 0; p < terms; ++p)
      for (index_t i = 0; i < lines; ++i) {
        const bits m = magnitude(x[i + p * stride_term]);
        largest[i] = m > largest[i] ? m : largest[i];
      }
    return;
  }
  for (index_t i = 0; i < lines; ++i) {
    const T* line = x + i * stride_line;
    bits found = largest[i];
    if (stride_term == 1) {
      for (index_t p = 0; p < terms; ++p) {
        const bits m = magnitude(line[p]);
        found = m > found ? m : found;
      }
    } else {
      for (index_t p = 0; p < terms; ++p) {
        const bits m = magnitude(line[p * stride_term]);
        found = m > found ? m : found;
      }
    }
    largest[i] = found;
  }
}

/// Terms that are worked on at a time.
inline constexpr index_t run_terms = 64;

/// x 2^shift, rounded to the nearest integer, ties to even: on bits, as tile::on_grid.
template <class T>
[[gnu::always_inline]] inline std::int64_t on_grid(T x, int shift) {
  using bits = typename magnitude_bits<T>::type;
  constexpr int mantissa = sizeof(T) == 4 ? 23 : 52, bias = sizeof(T) == 4 ? 127 : 1023;
  const bits all = bits_as<bits>(x), m = static_cast<bits>(all << 1) >> 1;
  const auto field = static_cast<std::int64_t>(m >> mantissa);
  const std::int64_t normal = field != 0;
  const std::int64_t digits =
      (static_cast<std::int64_t>(m) & ((std::int64_t(1) << mantissa) - 1)) | (normal << mantissa);
  const std::int64_t up = field + (1 - normal) - bias - mantissa + shift;
  const std::int64_t left = up > 0 ? up : 0, down = up < 0 ? (-up < mantissa + 2 ? -up : mantissa + 2) : 0;
  const std::int64_t bump = down > 0 ? (std::int64_t(1) << down >> 1) - 1 + (digits >> down & 1) : 0;
  const std::int64_t q = ((digits << left) + bump) >> down;
  return all >> (8 * sizeof(T) - 1) != 0 ? -q : q;
}

/// As tile::remainder_of.
[[gnu::always_inline]] inline int folded(int v, const tile::modulus& m) {
  return (v & 0xFFFF) + (v >> 16) * m.power[1];
}
[[gnu::always_inline]] inline int centred_remainder(int v, const tile::modulus& m) {
  constexpr float round = 12582912.0F;
  const float quotient = (static_cast<float>(v) * m.inverse + round) - round;
  return v - static_cast<int>(quotient) * m.value;
}

/// Calls take(terms present, first) for each stretch of a run, whose terms past the last count as zeros.
template <class T>
void residues(const line_run<T>& run) {
  for (index_t first = 0; first < run.padded; first += run_terms) {
    const index_t there = smaller(run_terms, larger<index_t>(0, run.terms - first));
    T x[run_terms] = {};
    std::memcpy(x, run.x + first, static_cast<std::size_t>(there) * sizeof(T));
    int piece[4][run_terms];
    for (index_t e = 0; e < run_terms; ++e) {
      const std::int64_t q = on_grid(x[e], run.shift);
      for (int i = 0; i < 3; ++i) piece[i][e] = static_cast<int>(q >> (16 * i) & 0xFFFF);
      piece[3][e] = static_cast<int>(q >> 48);
    }
    for (int t = 0; t < run.count; ++t) {
      const tile::modulus m = tile::modulus_numbers.number[t];
      const int low = run.are_unsigned ? m.value : 0;
      std::uint8_t* to = run.planes + t * run.plane + first;
      for (index_t e = 0; e < run_terms; ++e) {
        const int sum = piece[0][e] + piece[1][e] * m.power[1] + piece[2][e] * m.power[2] + piece[3][e] * m.power[3];
        const int r = centred_remainder(folded(sum, m), m);
        to[e] = static_cast<std::uint8_t>(r < 0 ? r + low : r);
      }
    }
  }
}

void reduce(index_t n, const std::int32_t* sums, int t, std::uint8_t* remainders) {
  const tile::modulus m = tile::modulus_numbers.number[t];
  for (index_t i = 0; i < n; ++i) {
    const int r = centred_remainder(folded(folded(sums[i], m), m), m);
    remainders[i] = static_cast<std::uint8_t>(r < 0 ? r + m.value : r);
  }
}

std::uint64_t weigh_sums(index_t rows, index_t cols, const std::int32_t* sums, index_t stride,
                         const std::int32_t* row_weights, const std::int32_t* col_weights) {
  std::uint64_t all = 0;
  for (index_t j = 0; j < cols; ++j) {
    std::uint64_t sum = 0;
    for (index_t i = 0; i < rows; ++i)
      sum += static_cast<std::uint64_t>(std::int64_t(sums[j * stride + i]) * std::int64_t(row_weights[i]));
    all += sum * static_cast<std::uint64_t>(col_weights[j]);
  }
  return all;
}

template <class Byte>
void weigh_bytes(index_t terms, index_t count, const Byte* lines, index_t stride, const std::int32_t* weights,
                 std::int64_t* weighed) {
  constexpr index_t step = 32;  // sums that stay in registers
  for (index_t first = 0; first < terms; first += step) {
    std::int64_t sums[step];
    std::memcpy(sums, weighed + first, sizeof sums);
    for (index_t i = 0; i < count; ++i)
      for (index_t p = 0; p < step; ++p)
        sums[p] += std::int64_t(std::int32_t(lines[i * stride + first + p])) * std::int64_t(weights[i]);
    std::memcpy(weighed + first, sums, sizeof sums);
  }
}
void weigh_lines(index_t terms, index_t count, const std::uint8_t* lines, index_t stride, bool are_unsigned,
                 const std::int32_t* weights, std::int64_t* weighed) {
  if (are_unsigned)
    weigh_bytes(terms, count, lines, stride, weights, weighed);
  else
    weigh_bytes(terms, count, reinterpret_cast<const std::int8_t*>(lines), stride, weights, weighed);
}

template <class T>
constexpr integer_line_kernels<T> plain_lines() {
  return {.peaks = peaks<T>, .residues = residues<T>, .numbers = {}};
}

template <class Engine, int Vectors, int Cols>
constexpr integer_kernels integer_table(const char* name, const char* set) {
  return {.name = name,
          .set = set,
          .rows = Vectors * Engine::lanes,
          .multiply_add = multiply_add_integers<Engine, Vectors, Cols>,
          .reduce = reduce,
          .weigh_sums = weigh_sums,
          .weigh_lines = weigh_lines,
          .floats = plain_lines<float>(),
          .doubles = plain_lines<double>()};
}

}  // namespace
}  // namespace abax::openmp
