// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// As tile/matrix.hpp.

namespace backends {
enum backend { none };
}
using backends::backend;
struct product {};
struct team {};
struct operands {};
