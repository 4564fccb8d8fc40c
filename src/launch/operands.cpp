// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abax/detail/launch/operands.hpp"

#include <cmath>

#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/tile/complex.hpp"
#include "abax/detail/tile/scalar.hpp"

namespace abax::launch {
namespace {

template <class Real>
tile::complex<Real> complex_product(const tile::complex<Real>& a, const tile::complex<Real>& b) {
  if (tile::is_one(a)) return b;
  if (tile::is_one(b)) return a;
  return portable::under_ieee([&] { return tile::product_of(a, b); });
}
template <class Real>
Real product_with_square(Real a, const tile::complex<Real>& b) {
  return portable::under_ieee([&] { return a * std::fma(b.im, b.im, b.re * b.re); });
}

}  // namespace

float product_of(float a, float b) {
  return portable::under_ieee([&] { return a * b; });
}
double product_of(double a, double b) {
  return portable::under_ieee([&] { return a * b; });
}
tile::complex<float> product_of(const tile::complex<float>& a, const tile::complex<float>& b) {
  return complex_product(a, b);
}
tile::complex<double> product_of(const tile::complex<double>& a, const tile::complex<double>& b) {
  return complex_product(a, b);
}

float product_of_square(float a, const tile::complex<float>& b) { return product_with_square(a, b); }
double product_of_square(double a, const tile::complex<double>& b) { return product_with_square(a, b); }

}  // namespace abax::launch
