// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/operands.hpp"

#include "abax/detail/backends/portable/gradual_underflow.hpp"

namespace abax::launch {

float product_of(float a, float b) {
  return portable::under_ieee([&] { return a * b; });
}
double product_of(double a, double b) {
  return portable::under_ieee([&] { return a * b; });
}

}  // namespace abax::launch
