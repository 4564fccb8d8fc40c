// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A model of banked scratch, for proofs at compile time: what one access of 32 lanes costs.
namespace abax::tile {

/// Scratch of 32 banks, each serving one word of 4 bytes in a wavefront to any number of lanes. An access of 4, 8 or
/// 16 bytes a lane takes the lanes in 1, 2 or 4 groups, one after another.
struct banks {
  static constexpr int lanes = 32, count = 32, word = 4;

  /// Wavefronts of an access of `width` bytes a lane, lane l at byte address(l), a multiple of `width`. A lane that takes
  /// no part asks for what another one asks for.
  template <class Address>
  static constexpr int wavefronts(int width, const Address& address) {
    const int words = width / word, group = lanes / words;
    int sum = 0;
    for (int first = 0; first < lanes; first += group) {
      int wanted[count][lanes], distinct[count] = {}, most = 0;  // words of each bank
      for (int l = first; l < first + group; ++l)
        for (int w = 0; w < words; ++w) {
          const int at = static_cast<int>(address(l)) / word + w, bank = at % count;
          bool known = false;
          for (int d = 0; d < distinct[bank]; ++d) known = known || wanted[bank][d] == at;
          if (!known) wanted[bank][distinct[bank]++] = at;
          most = distinct[bank] > most ? distinct[bank] : most;
        }
      sum += most;
    }
    return sum;
  }

  /// No more wavefronts than an access of that width takes at best where all lanes' words differ.
  template <class Address>
  static constexpr bool free_of_conflicts(int width, const Address& address) {
    return wavefronts(width, address) <= width / word;
  }
};

}  // namespace abax::tile
