// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex dot products whose results go where a first argument says, as f2c, g77 and Intel's compilers call them.
#include "fortran_call.hpp"
#include "vectors.hpp"

using namespace abax::blas;
using abax::blas::fortran::perform;
using abax::tile::complex;

extern "C" {

void cdotu_(complex<float>* result, const std::int32_t* n, const complex<float>* x, const std::int32_t* incx,
            const complex<float>* y, const std::int32_t* incy) {
  *result = perform<std::int32_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, false});
}

void cdotu_64_(complex<float>* result, const std::int64_t* n, const complex<float>* x, const std::int64_t* incx,
               const complex<float>* y, const std::int64_t* incy) {
  *result = perform<std::int64_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, false});
}

void zdotu_(complex<double>* result, const std::int32_t* n, const complex<double>* x, const std::int32_t* incx,
            const complex<double>* y, const std::int32_t* incy) {
  *result = perform<std::int32_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, false});
}

void zdotu_64_(complex<double>* result, const std::int64_t* n, const complex<double>* x, const std::int64_t* incx,
               const complex<double>* y, const std::int64_t* incy) {
  *result = perform<std::int64_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, false});
}

void cdotc_(complex<float>* result, const std::int32_t* n, const complex<float>* x, const std::int32_t* incx,
            const complex<float>* y, const std::int32_t* incy) {
  *result = perform<std::int32_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, true});
}

void cdotc_64_(complex<float>* result, const std::int64_t* n, const complex<float>* x, const std::int64_t* incx,
               const complex<float>* y, const std::int64_t* incy) {
  *result = perform<std::int64_t>(__func__, dot<complex<float>>{*n, x, *incx, y, *incy, true});
}

void zdotc_(complex<double>* result, const std::int32_t* n, const complex<double>* x, const std::int32_t* incx,
            const complex<double>* y, const std::int32_t* incy) {
  *result = perform<std::int32_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, true});
}

void zdotc_64_(complex<double>* result, const std::int64_t* n, const complex<double>* x, const std::int64_t* incx,
               const complex<double>* y, const std::int64_t* incy) {
  *result = perform<std::int64_t>(__func__, dot<complex<double>>{*n, x, *incx, y, *incy, true});
}

}  // extern "C"
