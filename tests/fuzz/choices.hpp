// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where a fuzzed call's arguments come from: random numbers, or a fuzzer's bytes.
#include <cstddef>
#include <cstdint>

#include "../inputs.hpp"

namespace abax::tests::fuzz {

class choices {
 public:
  /// Those of call `number` among a seed's.
  choices(std::uint64_t seed, std::uint64_t number) : random_(random_bits(seed).next() + number) {}
  /// Bytes that have run out are zeros.
  choices(const std::uint8_t* bytes, std::size_t size) : random_(0), bytes_(bytes), left_(size) {}

  /// In [0, n), n from 1 to 65536.
  int below(int n) {
    if (bytes_ == nullptr) return random_.below(n);
    unsigned number = byte();
    if (n > 256) number = number << 8 | byte();
    return static_cast<int>(number % static_cast<unsigned>(n));
  }
  /// Rarely, and never without bytes.
  bool one_in(int n) { return below(n) == 1; }
  std::uint64_t seed() { return bytes_ == nullptr ? random_.next() : byte(); }

 private:
  unsigned byte() {
    if (left_ == 0) return 0;
    --left_;
    return *bytes_++;
  }

  random_bits random_;
  const std::uint8_t* bytes_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace abax::tests::fuzz
