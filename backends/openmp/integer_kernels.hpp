// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The inner loops of products by way of integers: one set per instruction set, chosen once at run time. As
/// kernels.hpp, this and what implements it know nothing of Kokkos.
#include <cstdint>

#include "abax/detail/backends/openmp/kernels.hpp"
#include "abax/detail/tile/moduli.hpp"

namespace abax::openmp {

template <class T>
struct magnitude_bits;
template <>
struct magnitude_bits<float> {
  using type = std::uint32_t;
};
template <>
struct magnitude_bits<double> {
  using type = std::uint64_t;
};

/// Terms of one line that follow one another, all finite, and where the remainders of their integers go: that of term p
/// by modulus t to planes[t plane + p], p < padded, those from `terms` on as of zeros.
template <class T>
struct line_run {
  const T* x;
  index_t terms, padded;  ///< padded: a multiple of 64
  int shift;              ///< of the line's grid
  int count;              ///< of moduli
  bool are_unsigned;      ///< remainders in [0, p); if not, centred ones
  std::uint8_t* planes;
  index_t plane;
};

/// Outputs S(i) 2^-(shifts[i] + shift), rounded to T, from remainders[t plane + i], i < n. What is neither 0 nor a
/// normal number below the largest power of two gets missed[i] = 1, and is left to be made another way.
template <class T>
struct number_run {
  index_t n;
  const std::uint8_t* remainders;
  index_t plane;
  const int* shifts;
  int shift;
  T* numbers;
  std::uint8_t* missed;
};

template <class T>
struct integer_line_kernels {
  /// largest[i] <- the largest of largest[i] and the bits of |x(i, p)|, i < lines, p < terms;
  /// x(i, p) = x[i stride_line + p stride_term].
  void (*peaks)(index_t lines, index_t terms, const T* x, index_t stride_line, index_t stride_term,
                typename magnitude_bits<T>::type* largest);
  void (*residues)(const line_run<T>& run);
  /// By `fewest_moduli` + n moduli; null where the plain way serves.
  void (*numbers[tile::most_moduli])(const number_run<T>& run);
};

struct integer_kernels {
  const char* name;
  const char* set;  ///< the name of the kernel_set that goes with it
  int rows;         ///< lines of a in a panel

  /// sums[j stride_sums + i] <- itself + sum over p of a(i, p) b(j, p), i < panels rows, j < cols, p < 4 words, where
  /// a's bytes are unsigned and b's signed, and words a multiple of 16. a: panels of `rows` lines, in each all lines'
  /// next four terms one after another; b(j, p) = b[j stride_b + p].
  void (*multiply_add)(index_t panels, index_t cols, index_t words, const std::uint8_t* a, const std::uint8_t* b,
                       index_t stride_b, std::int32_t* sums, index_t stride_sums);
  /// remainders[i] <- sums[i] modulo the t-th modulus, in [0, p), i < n.
  void (*reduce)(index_t n, const std::int32_t* sums, int t, std::uint8_t* remainders);

  // For a check of the product; weights are positive.
  /// The sum of sums[j stride + i] row_weights[i] col_weights[j], i < rows, j < cols, modulo 2^64.
  std::uint64_t (*weigh_sums)(index_t rows, index_t cols, const std::int32_t* sums, index_t stride,
                              const std::int32_t* row_weights, const std::int32_t* col_weights);
  /// weighed[p] <- itself + sum over i of byte lines[i stride + p] weights[i], p < terms, a multiple of 64, i < count.
  void (*weigh_lines)(index_t terms, index_t count, const std::uint8_t* lines, index_t stride, bool are_unsigned,
                      const std::int32_t* weights, std::int64_t* weighed);

  integer_line_kernels<float> floats;
  integer_line_kernels<double> doubles;

  template <class T>
  const integer_line_kernels<T>& lines() const {
    if constexpr (sizeof(T) == 4)
      return floats;
    else
      return doubles;
  }
};

/// The set that goes with kernels<float>().
const integer_kernels& integer_loops();

/// Every set that this CPU can run, best first; for tests that compare them. Ends with a null pointer.
const integer_kernels* const* runnable_integer_loops();

}  // namespace abax::openmp
