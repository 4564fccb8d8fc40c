// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Files and names like those of Abax' internals, which a user's program may have of its own.

namespace tile {
struct matrix {
  int elements;
};
}  // namespace tile
