// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A model of global memory as a warp's access uses it: in sectors of 32 bytes, four to a line of 128.
namespace abax::model {

struct sectors {
  static constexpr int lanes = 32, sector = 32, line = 128;
  static constexpr int idle = -1;  ///< the address of a lane that takes no part

  /// Pieces of `piece` bytes that the lanes touch, lane l with `width` bytes at address(l), a multiple of `width`.
  template <class Address>
  static constexpr int touched(int piece, int width, const Address& address) {
    long known[lanes] = {};
    int count = 0;
    for (int l = 0; l < lanes; ++l) {
      const long at = static_cast<long>(address(l));
      if (at == idle) continue;
      bool again = false;
      for (int k = 0; k < count; ++k) again = again || known[k] == at / piece;
      if (!again) known[count++] = at / piece;
    }
    return width <= piece ? count : count * (width / piece);
  }
  template <class Address>
  static constexpr int count(int width, const Address& address) {
    return touched(sector, width, address);
  }
  template <class Address>
  static constexpr int lines(int width, const Address& address) {
    return touched(line, width, address);
  }

  /// Bytes that at least one lane asks for.
  template <class Address>
  static constexpr int asked(int width, const Address& address) {
    return width * touched(width, width, address);
  }
  /// How many of the bytes that are moved were asked for, where sectors are moved, and where whole lines are.
  template <class Address>
  static constexpr double share_of_sectors(int width, const Address& address) {
    return share(asked(width, address), sector * count(width, address));
  }
  template <class Address>
  static constexpr double share_of_lines(int width, const Address& address) {
    return share(asked(width, address), line * lines(width, address));
  }

 private:
  static constexpr double share(int asked, int moved) { return moved == 0 ? 1 : static_cast<double>(asked) / moved; }
};

}  // namespace abax::model
