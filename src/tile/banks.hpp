// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A model of banked scratch: what one access of 32 lanes costs, at compile time or at run time.
namespace abax::tile {

enum class direction { load, store };

/// Scratch of 32 banks, each serving one word in a wavefront to any number of lanes. An access of more bytes a lane
/// than a word has takes the lanes in passes, one after another, such that no pass asks for more than all banks serve:
/// an access of two words takes half of the lanes in a pass. A load takes twice as many, where lanes pair up: each lane
/// and its neighbour (lane xor 1) ask for the same, or one of them for nothing; or each lane and its next but one
/// (lane xor 2). That is how an H200 counts, wavefronts and conflicts, for every pattern that perf/lab/ runs there.
struct banks {
  static constexpr int lanes = 32, count = 32, word = 4;
  static constexpr int idle = -1;  ///< the address of a lane that takes no part

  struct cost {
    int wavefronts;  ///< of all passes together
    int passes;      ///< in which a lane takes part
    int worst;       ///< most words that one bank has to serve in one pass: the degree of the conflict
    int ideal;       ///< wavefronts that would carry the bytes of the active lanes, and never more than there are

    /// Wavefronts that are there only because words met in a bank.
    constexpr int conflicts() const { return wavefronts - passes; }
  };

  /// An access of `width` bytes a lane (4, 8 or 16), lane l at byte address(l), a multiple of `width`.
  template <class Address>
  static constexpr cost of(direction way, int width, const Address& address) {
    long at[lanes] = {};
    int active = 0;
    for (int l = 0; l < lanes; ++l) {
      at[l] = static_cast<long>(address(l));
      active += at[l] != idle;
    }
    const int words = words_of(width), alone = lanes / words;
    const int group = words > 1 && way == direction::load && paired(at) ? 2 * alone : alone;
    cost sum{0, 0, 0, 0};
    for (int first = 0; first < lanes; first += group) {
      long wanted[count][lanes];  // words of each bank
      int distinct[count] = {}, most = 0;
      for (int l = first; l < first + group; ++l) {
        if (at[l] == idle) continue;
        for (int w = 0; w < words; ++w) {
          const long index = at[l] / word + w;
          const int bank = static_cast<int>(index % count);
          bool known = false;
          for (int d = 0; d < distinct[bank]; ++d) known = known || wanted[bank][d] == index;
          if (!known) wanted[bank][distinct[bank]++] = index;
          most = distinct[bank] > most ? distinct[bank] : most;
        }
      }
      sum.wavefronts += most;
      sum.passes += most > 0;
      sum.worst = most > sum.worst ? most : sum.worst;
    }
    const int full = (active * words + lanes - 1) / lanes;
    sum.ideal = full < sum.wavefronts ? full : sum.wavefronts;
    return sum;
  }

  /// Of a store; a load never takes more.
  template <class Address>
  static constexpr int wavefronts(int width, const Address& address) {
    return of(direction::store, width, address).wavefronts;
  }

  /// No more wavefronts than an access of that width takes at best where all lanes' words differ.
  template <class Address>
  static constexpr bool free_of_conflicts(int width, const Address& address) {
    return wavefronts(width, address) <= words_of(width);
  }

 private:
  static constexpr int words_of(int width) { return width > word ? width / word : 1; }

  static constexpr bool paired(const long (&at)[lanes]) {
    bool pairs[2] = {true, true};
    for (int l = 0; l < lanes; ++l)
      for (int k = 0; k < 2; ++k) {
        const long partner = at[l ^ (k + 1)];
        pairs[k] = pairs[k] && (at[l] == idle || partner == idle || partner == at[l]);
      }
    return pairs[0] || pairs[1];
  }
};

}  // namespace abax::tile
