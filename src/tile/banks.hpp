// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A model of banked scratch: what one access of 32 lanes costs, at compile time or at run time.
namespace abax::tile {

/// Scratch of 32 banks, each serving one word in a wavefront to any number of lanes. An access of more bytes a lane than
/// a word has takes the lanes in groups, one after another, such that a group asks for no more than all banks serve.
template <int Word>
struct banks_of {
  static constexpr int lanes = 32, count = 32, word = Word;
  static constexpr int idle = -1;  ///< the address of a lane that takes no part

  struct cost {
    int wavefronts;  ///< all groups together
    int worst;       ///< most words that one bank has to serve to one group: the degree of the conflict
  };

  /// An access of `width` bytes a lane (4, 8 or 16), lane l at byte address(l), a multiple of `width`.
  template <class Address>
  static constexpr cost of(int width, const Address& address) {
    const int groups = groups_of(width), words = width > word ? width / word : 1;
    cost sum{0, 0};
    for (int first = 0; first < lanes; first += lanes / groups) {
      long wanted[count][lanes] = {};  // words of each bank
      int distinct[count] = {}, most = 0;
      for (int l = first; l < first + lanes / groups; ++l) {
        const long at = static_cast<long>(address(l));
        if (at == idle) continue;
        for (int w = 0; w < words; ++w) {
          const long index = at / word + w;
          const int bank = static_cast<int>(index % count);
          bool known = false;
          for (int d = 0; d < distinct[bank]; ++d) known = known || wanted[bank][d] == index;
          if (!known) wanted[bank][distinct[bank]++] = index;
          most = distinct[bank] > most ? distinct[bank] : most;
        }
      }
      sum.wavefronts += most;
      sum.worst = most > sum.worst ? most : sum.worst;
    }
    return sum;
  }

  template <class Address>
  static constexpr int wavefronts(int width, const Address& address) {
    return of(width, address).wavefronts;
  }

  /// What an access of that width takes where all lanes' words differ and no two of a group meet in a bank.
  static constexpr int ideal(int width) { return groups_of(width); }

  template <class Address>
  static constexpr bool free_of_conflicts(int width, const Address& address) {
    return wavefronts(width, address) <= ideal(width);
  }

 private:
  static constexpr int groups_of(int width) { return width > word ? width / word : 1; }
};

/// Of today's GPUs.
using banks = banks_of<4>;
/// The mode of 8 bytes that chips before 2014 could be set to.
using wide_banks = banks_of<8>;

}  // namespace abax::tile
