// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does not compile with fast-math: it would compile sums.
#include <abax/templates.hpp>
// Abax promises bits
