// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes for any CPU.
#include "integer_sets.hpp"
#include "kernel_integer.hpp"

namespace abax::openmp {
namespace {

/// Loops that compilers vectorise with what every CPU of a kind has.
struct plain_bytes {
  static constexpr int lanes = 8;
  struct reg {
    std::int32_t lane[lanes];
  };
  struct lines {
    std::int16_t term[4][lanes];
  };
  struct word {
    std::int16_t term[4];
  };

  static reg load(const std::int32_t* p) {
    reg r;
    std::memcpy(&r, p, sizeof r);
    return r;
  }
  static void store(std::int32_t* p, const reg& r) { std::memcpy(p, &r, sizeof r); }
  static lines load_lines(const std::uint8_t* p) {
    lines l;
    for (int t = 0; t < 4; ++t)
      for (int i = 0; i < lanes; ++i) l.term[t][i] = p[4 * i + t];
    return l;
  }
  static word broadcast(const std::uint8_t* p) {
    word w;
    for (int t = 0; t < 4; ++t) w.term[t] = static_cast<std::int8_t>(p[t]);
    return w;
  }
  static reg add_products(reg sum, const lines& a, const word& b) {
    for (int t = 0; t < 4; ++t)
      for (int i = 0; i < lanes; ++i) sum.lane[i] += a.term[t][i] * b.term[t];
    return sum;
  }
};

}  // namespace

constinit const integer_kernels portable_integers = integer_table<plain_bytes, 1, 4>("portable", "portable");

}  // namespace abax::openmp
