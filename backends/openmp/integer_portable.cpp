// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes for any CPU.
#include "integer_sets.hpp"
#include "kernel_integer.hpp"

namespace abax::openmp {
namespace {

/// Vectors of 16 bytes, by what compilers make of them anywhere. A product of a byte without sign and one with a sign
/// fits 16 bits.
struct plain_bytes {
  typedef std::int16_t halves __attribute__((vector_size(16)));  // NOLINT(modernize-use-using): an alias loses it
  typedef std::uint16_t bytes __attribute__((vector_size(16)));  // NOLINT(modernize-use-using)
  typedef std::int32_t reg __attribute__((vector_size(16)));     // NOLINT(modernize-use-using)
  typedef std::uint32_t words __attribute__((vector_size(16)));  // NOLINT(modernize-use-using)
  static constexpr int lanes = 4;
  struct lines {
    halves even, odd;  // terms 0 and 2, 1 and 3
  };
  using word = lines;

  static reg load(const std::int32_t* p) {
    reg r;
    std::memcpy(&r, p, sizeof r);
    return r;
  }
  static void store(std::int32_t* p, const reg& r) { std::memcpy(p, &r, sizeof r); }
  static lines load_lines(const std::uint8_t* p) {
    const std::uint16_t one = 1;
    std::uint8_t first;
    std::memcpy(&first, &one, 1);
    bytes all;
    std::memcpy(&all, p, sizeof all);
    const auto low = reinterpret_cast<halves>(all & 0xFF), high = reinterpret_cast<halves>(all >> 8);
    return first == 1 ? lines{low, high} : lines{high, low};
  }
  static word broadcast(const std::uint8_t* p) {
    std::int8_t term[4];
    std::memcpy(term, p, sizeof term);
    const auto pair = [](std::int16_t a, std::int16_t b) { return halves{a, b, a, b, a, b, a, b}; };
    return {pair(term[0], term[2]), pair(term[1], term[3])};
  }
  static reg add_products(reg sum, const lines& a, const word& b) {
    const auto even = reinterpret_cast<reg>(a.even * b.even), odd = reinterpret_cast<reg>(a.odd * b.odd);
    const reg four = (even << 16 >> 16) + (even >> 16) + (odd << 16 >> 16) + (odd >> 16);
    return reinterpret_cast<reg>(reinterpret_cast<words>(sum) + reinterpret_cast<words>(four));  // wraps around
  }
};

}  // namespace

constinit const integer_kernels portable_integers = integer_table<plain_bytes, 2, 4>("portable", "portable");

}  // namespace abax::openmp
