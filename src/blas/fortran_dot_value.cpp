// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex dot products whose results come by value, as gfortran calls them.
#include <bit>

#include "fortran_call.hpp"
#include "vectors.hpp"

using namespace abax::blas;
using abax::blas::fortran::perform;
using abax::tile::complex;

// The compiler's own complex types: how a structure of two numbers is returned may differ.
__extension__ typedef _Complex float fortran_float;
__extension__ typedef _Complex double fortran_double;

namespace {

fortran_float as_fortran(const complex<float>& x) { return std::bit_cast<fortran_float>(x); }
fortran_double as_fortran(const complex<double>& x) { return std::bit_cast<fortran_double>(x); }

}  // namespace

extern "C" {

fortran_float cdotu_(const std::int32_t* n, const complex<float>* x, const std::int32_t* incx, const complex<float>* y,
                     const std::int32_t* incy) {
  return as_fortran(perform<std::int32_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, false}));
}

fortran_float cdotu_64_(const std::int64_t* n, const complex<float>* x, const std::int64_t* incx,
                        const complex<float>* y, const std::int64_t* incy) {
  return as_fortran(perform<std::int64_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, false}));
}

fortran_double zdotu_(const std::int32_t* n, const complex<double>* x, const std::int32_t* incx,
                      const complex<double>* y, const std::int32_t* incy) {
  return as_fortran(perform<std::int32_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, false}));
}

fortran_double zdotu_64_(const std::int64_t* n, const complex<double>* x, const std::int64_t* incx,
                         const complex<double>* y, const std::int64_t* incy) {
  return as_fortran(perform<std::int64_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, false}));
}

fortran_float cdotc_(const std::int32_t* n, const complex<float>* x, const std::int32_t* incx, const complex<float>* y,
                     const std::int32_t* incy) {
  return as_fortran(perform<std::int32_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, true}));
}

fortran_float cdotc_64_(const std::int64_t* n, const complex<float>* x, const std::int64_t* incx,
                        const complex<float>* y, const std::int64_t* incy) {
  return as_fortran(perform<std::int64_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, true}));
}

fortran_double zdotc_(const std::int32_t* n, const complex<double>* x, const std::int32_t* incx,
                      const complex<double>* y, const std::int32_t* incy) {
  return as_fortran(perform<std::int32_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, true}));
}

fortran_double zdotc_64_(const std::int64_t* n, const complex<double>* x, const std::int64_t* incx,
                         const complex<double>* y, const std::int64_t* incy) {
  return as_fortran(perform<std::int64_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, true}));
}

}  // extern "C"
