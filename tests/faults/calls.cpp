// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "calls.hpp"

#include <abax/abax.h>
#include <abax/cblas.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace abax::tests::faults;

namespace {

abax_stream* stream = nullptr;

using complex = abax_complex_double;
const complex* as_complex(const double* x) { return reinterpret_cast<const complex*>(x); }
complex* as_complex(double* x) { return reinterpret_cast<complex*>(x); }
const std::int8_t* as_bytes(const double* x) { return reinterpret_cast<const std::int8_t*>(x); }
std::int64_t* as_integer(double* x) { return reinterpret_cast<std::int64_t*>(x); }

template <std::size_t items, class T>
std::array<T*, items> items_of(T* first, std::size_t stride) {
  std::array<T*, items> at;
  for (std::size_t i = 0; i < items; ++i) at[i] = first + i * stride;
  return at;
}

/// A call of abax.h.
template <class Call>
trial c_trial(const char* name, std::size_t a, std::size_t b, std::size_t c, const Call& call) {
  return {name, a, b, c, [=](const double* x, const double* y, double* z) {
            const abax_status status = call(x, y, z);
            if (status == ABAX_INVALID_ARGUMENT || status == ABAX_UNAVAILABLE) std::abort();
            return status == ABAX_SUCCESS;
          }};
}

/// The imaginary parts of an n x n matrix' diagonal may be 0 already.
auto real_diagonal(std::size_t n) {
  return [=](const double* was, const double* is, const double*) {
    for (std::size_t at = 0; at < 2 * n * n; ++at)
      if (is[at] != was[at] && !(is[at] == 0 && at % (2 * n + 2) == 1)) return false;
    return true;
  };
}

std::vector<trial> c_trials() {
  using in = const double*;
  using out = double*;
  const auto gemm = [](char op_a, char op_b, std::int64_t m, std::int64_t n, std::int64_t k) {
    return [=](in a, in b, out c) {
      return abax_dgemm(stream, op_a, op_b, m, n, k, 1.5, a, 1, op_a == 'N' ? m : k, b, 1, op_b == 'N' ? k : n, 0.5, c,
                        1, m);
    };
  };
  const auto batch = [](std::int64_t items, std::int64_t n) {
    return [=](in a, in b, out c) {
      return abax_dgemm_batched(stream, 'N', 'T', items, n, n, n, 1.5, a, n * n, 1, n, b, n * n, 1, n, 0.5, c, n * n, 1,
                                n);
    };
  };
  const auto gemv = [](char op, std::int64_t m, std::int64_t n) {
    return [=](in a, in b, out c) { return abax_dgemv(stream, op, m, n, 1.5, a, 1, m, b, 1, 0.5, c, 1); };
  };
  std::vector<trial> trials = {
      c_trial("open and close", 1, 1, 1,
              [](in, in, out) {
                abax_stream* more = nullptr;
                const abax_status status = abax_open(ABAX_HOST, nullptr, 0, &more);
                if ((more == nullptr) != (status != ABAX_SUCCESS)) std::abort();
                abax_close(more);
                return status;
              }),
      c_trial("gemm, small", 64, 64, 64, gemm('N', 'N', 8, 8, 8)),
      c_trial("gemm", 300 * 250, 250 * 200, 300 * 200, gemm('N', 'N', 300, 200, 250)),
      c_trial("gemm, few rows", 3 * 500, 500 * 900, 3 * 900, gemm('N', 'T', 3, 900, 500)),
      c_trial("gemm, split along k", 20 * 60000, 60000 * 16, 20 * 16, gemm('T', 'N', 20, 16, 60000)),
      c_trial("gemmt", 300 * 200, 300 * 200, 300 * 300,
              [](in a, in b, out c) {
                return abax_dgemmt(stream, 'L', 'N', 'T', 300, 200, 1.5, a, 1, 300, b, 1, 300, 0.5, c, 1, 300);
              }),
      c_trial("syrk", 300 * 200, 1, 300 * 300,
              [](in a, in, out c) { return abax_dsyrk(stream, 'U', 'N', 300, 200, 1.5, a, 1, 300, 0.5, c, 1, 300); }),
      c_trial("gemv", 700 * 600, 600, 700, gemv('N', 700, 600)),
      c_trial("gemv, few outputs", 60000 * 5, 60000, 5, gemv('T', 60000, 5)),
      c_trial("batch of small items", 200 * 64, 200 * 64, 200 * 64, batch(200, 8)),
      c_trial("batch of items", 40 * 6400, 40 * 6400, 40 * 6400, batch(40, 80)),
      c_trial("batch of large items", 3 * 40000, 3 * 40000, 3 * 40000, batch(3, 200)),
      c_trial("batch of pointers", 40 * 6400, 40 * 6400, 40 * 6400,
              [](in a, in b, out c) {
                const auto at_a = items_of<40>(a, 6400), at_b = items_of<40>(b, 6400);
                const auto at_c = items_of<40>(c, 6400);
                return abax_dgemm_batched_at(stream, 'N', 'N', 40, 80, 80, 80, 1.5, at_a.data(), 80, at_b.data(), 80,
                                             0.5, at_c.data(), 80);
              }),
      c_trial("batch of gemv", 50 * 10000, 50 * 100, 50 * 100,
              [](in a, in b, out c) {
                return abax_dgemv_batched(stream, 'N', 50, 100, 100, 1.5, a, 10000, 1, 100, b, 100, 1, 0.5, c, 100, 1);
              }),
      c_trial("gemm by way of integers", 200 * 300, 300 * 150, 200 * 150,
              [](in a, in b, out c) {
                return abax_dgemm_integer(stream, 'N', 'N', 200, 150, 300, 1.5, a, 1, 200, b, 1, 300, 0.5, c, 1, 200,
                                          0);
              }),
      c_trial("gemm of an operand that is prepared", 200 * 300, 300 * 150, 200 * 150,
              [](in a, in b, out c) {
                abax_integer_operand* left = nullptr;
                abax_status status = abax_dinteger_operand(stream, 'L', 'N', 200, 300, a, 1, 200, 0, &left);
                if ((left == nullptr) != (status != ABAX_SUCCESS)) std::abort();
                if (status == ABAX_SUCCESS)
                  status = abax_dgemm_integer_with(stream, 'N', 'N', 200, 150, 300, 1.5, nullptr, 0, 0, left, b, 1, 300,
                                                   nullptr, 0.5, c, 1, 200, 0, 0, 0);
                abax_free_integer_operand(left);
                return status;
              }),
      c_trial("gemm of bytes", 200 * 300 / 8, 300 * 150 / 8, 200 * 150 / 2,
              [](in a, in b, out c) {
                return abax_gemm_int8(stream, 'N', 'T', 200, 150, 300, 3, as_bytes(a), 1, 200, as_bytes(b), 1, 150, -1,
                                      reinterpret_cast<std::int32_t*>(c), 1, 200);
              }),
      c_trial("dot", 200000, 200000, 1, [](in a, in b, out c) { return abax_ddot(stream, 200000, a, 1, b, 1, c); }),
      c_trial("nrm2", 200000, 1, 1, [](in a, in, out c) { return abax_dnrm2(stream, 200000, a, 1, c); }),
      c_trial("asum", 200000, 1, 1, [](in a, in, out c) { return abax_dasum(stream, 200000, a, 1, c); }),
      c_trial("sum", 200000, 1, 1, [](in a, in, out c) { return abax_dsum(stream, 200000, a, 1, c); }),
      c_trial("iamax", 200000, 1, 1, [](in a, in, out c) { return abax_idamax(stream, 200000, a, 1, as_integer(c)); }),
      c_trial("transpose", 500 * 400, 1, 500 * 400,
              [](in a, in, out c) { return abax_dtranspose(stream, 500, 400, a, 1, 500, c, 1, 400); }),
      c_trial("transpose in place", 1, 1, 500 * 500,
              [](in, in, out c) { return abax_dtranspose_in_place(stream, 500, c, 1, 500); }),
      c_trial("axpby", 200000, 1, 200000,
              [](in a, in, out c) { return abax_daxpby(stream, 200000, 1.5, a, 1, 0.5, c, 1); }),
      c_trial("scal", 200000, 1, 200000, [](in a, in, out c) { return abax_dscal(stream, 200000, c, 1, 1.5, a, 1); }),
      c_trial("copy", 200000, 1, 200000, [](in a, in, out c) { return abax_dcopy(stream, 200000, a, 1, c, 1); }),
      c_trial("complex gemm", 2 * 150 * 120, 2 * 120 * 100, 2 * 150 * 100,
              [](in a, in b, out c) {
                return abax_zgemm(stream, 'N', 'N', 150, 100, 120, {1.5, 0.5}, as_complex(a), 1, 150, as_complex(b), 1,
                                  120, {0.5, 1}, as_complex(c), 1, 150);
              }),
      c_trial("complex gemm, split along k", 2 * 9 * 30000, 2 * 30000 * 7, 2 * 9 * 7,
              [](in a, in b, out c) {
                return abax_zgemm(stream, 'C', 'N', 9, 7, 30000, {1.5, 0.5}, as_complex(a), 1, 30000, as_complex(b), 1,
                                  30000, {0.5, 1}, as_complex(c), 1, 9);
              }),
      c_trial("complex gemv", 2 * 400 * 300, 2 * 300, 2 * 400,
              [](in a, in b, out c) {
                return abax_zgemv(stream, 'N', 400, 300, {1.5, 0.5}, as_complex(a), 1, 400, as_complex(b), 1, {0.5, 1},
                                  as_complex(c), 1);
              }),
      c_trial("herk", 2 * 150 * 120, 1, 2 * 150 * 150,
              [](in a, in, out c) {
                return abax_zherk(stream, 'L', 'N', 150, 120, 1.5, as_complex(a), 1, 150, 0.5, as_complex(c), 1, 150);
              }),
      c_trial("complex dot", 2 * 100000, 2 * 100000, 2,
              [](in a, in b, out c) {
                return abax_zdotc(stream, 100000, as_complex(a), 1, as_complex(b), 1, as_complex(c));
              }),
      c_trial("complex transpose in place", 1, 1, 2 * 300 * 300,
              [](in, in, out c) { return abax_zconjugate_transpose_in_place(stream, 300, as_complex(c), 1, 300); }),
  };
  // What abax.h says of calls that are several launches.
  for (trial& t : trials) {
    if (t.name == "herk") t.may_leave = real_diagonal(150);
    if (t.name == "batch of items" || t.name == "batch of pointers") side_by_side(t, 6400);
  }
  return trials;
}

/// A call of the BLAS, which has no way to fail.
template <class Call>
trial blas_trial(const char* name, std::size_t a, std::size_t b, std::size_t c, const Call& call) {
  return {name, a, b, c, [=](const double* x, const double* y, double* z) {
            call(x, y, z);
            return true;
          }};
}

std::vector<trial> blas_trials() {
  using in = const double*;
  using out = double*;
  constexpr auto by_cols = CblasColMajor;
  constexpr auto no = CblasNoTrans, yes = CblasTrans;
  const auto gemm = [](int m, int n, int k) {
    return [=](in a, in b, out c) { cblas_dgemm(by_cols, no, no, m, n, k, 1.5, a, m, b, k, 0.5, c, m); };
  };
  // The second call of a thread takes another way than its first where it is small; an operand beyond the panels' room.
  const auto small_after = [](const auto& first) {
    return [=](in a, in b, out c) {
      first(c);
      cblas_dgemm(by_cols, yes, no, 9, 7, 30, 1.5, a, 30, b, 30, 0.5, c, 9);
    };
  };
  return {
      blas_trial("cblas gemm, small", 30 * 9, 30 * 7, 9 * 7, small_after([](out c) { cblas_dscal(1, 1, c, 1); })),
      blas_trial("cblas gemm, small, after dot", 30 * 9, 30 * 7, 9 * 7,
                 small_after([](out c) { c[0] = cblas_ddot(1, c, 1, c, 1); })),
      blas_trial("cblas gemm", 300 * 250, 250 * 200, 300 * 200, gemm(300, 200, 250)),
      blas_trial("cblas gemm, by rows", 300 * 250, 250 * 200, 300 * 200,
                 [](in a, in b, out c) {
                   cblas_dgemm(CblasRowMajor, no, yes, 300, 200, 250, 1.5, a, 250, b, 250, 0.5, c, 200);
                 }),
      blas_trial("cblas gemmtr", 300 * 200, 300 * 200, 300 * 300,
                 [](in a, in b, out c) {
                   cblas_dgemmtr(by_cols, CblasLower, no, yes, 300, 200, 1.5, a, 300, b, 300, 0.5, c, 300);
                 }),
      blas_trial("cblas syrk", 300 * 200, 1, 300 * 300,
                 [](in a, in, out c) { cblas_dsyrk(by_cols, CblasUpper, no, 300, 200, 1.5, a, 300, 0.5, c, 300); }),
      blas_trial("cblas gemv", 700 * 600, 600, 700,
                 [](in a, in b, out c) { cblas_dgemv(by_cols, no, 700, 600, 1.5, a, 700, b, 1, 0.5, c, 1); }),
      blas_trial("cblas gemm_batch_strided", 40 * 6400, 40 * 6400, 40 * 6400,
                 [](in a, in b, out c) {
                   cblas_dgemm_batch_strided(by_cols, no, no, 80, 80, 80, 1.5, a, 80, 6400, b, 80, 6400, 0.5, c, 80,
                                             6400, 40);
                 }),
      blas_trial("cblas ddot, dnrm2, dasum", 200000, 200000, 3,
                 [](in a, in b, out c) {
                   c[0] = cblas_ddot(200000, a, 1, b, 1);
                   c[1] = cblas_dnrm2(200000, a, 1);
                   c[2] = cblas_dasum(200000, b, 1);
                 }),
      blas_trial("cblas ddot, short", 300, 300, 2,
                 [](in a, in b, out c) {
                   c[0] = cblas_ddot(300, a, 1, b, 1);
                   c[1] = cblas_dnrm2(300, a, 1);
                 }),
      blas_trial("cblas daxpy, dcopy", 200000, 1, 400000,
                 [](in a, in, out c) {
                   cblas_daxpy(200000, 1.5, a, 1, c, 1);
                   cblas_dcopy(200000, a, 1, c + 200000, 1);
                 }),
      blas_trial("cblas domatcopy", 500 * 400, 1, 500 * 400,
                 [](in a, in, out c) { cblas_domatcopy(by_cols, yes, 500, 400, 1.5, a, 500, c, 400); }),
      blas_trial("cblas zgemm", 2 * 150 * 120, 2 * 120 * 100, 2 * 150 * 100,
                 [](in a, in b, out c) {
                   const double alpha[] = {1.5, 0.5}, beta[] = {0.5, 1};
                   cblas_zgemm(by_cols, no, no, 150, 100, 120, alpha, a, 150, b, 120, beta, c, 150);
                 }),
      blas_trial("cblas zgemm, small", 2 * 9 * 30, 2 * 30 * 7, 2 * 9 * 7,
                 [](in a, in b, out c) {
                   const double alpha[] = {1.5, 0.5}, beta[] = {0.5, 1};
                   cblas_zgemm(by_cols, yes, no, 9, 7, 30, alpha, a, 30, b, 30, beta, c, 9);
                 }),
      blas_trial("cblas zgemv", 2 * 400 * 300, 2 * 300, 2 * 400,
                 [](in a, in b, out c) {
                   const double alpha[] = {1.5, 0.5}, beta[] = {0.5, 1};
                   cblas_zgemv(by_cols, no, 400, 300, alpha, a, 400, b, 1, beta, c, 1);
                 }),
  };
}

}  // namespace

namespace abax::tests::faults {

called c_interface(abax_place place) {
  caller by_streams;
  by_streams.begin = [=] {
    if (abax_open(place, nullptr, 0, &stream) != ABAX_SUCCESS) std::abort();
  };
  by_streams.end = [] { abax_close(stream); };
  return {c_trials(), by_streams};
}

called blas() {
  caller by_names;
  by_names.may_end_program = true;
  by_names.message = "abax_blas: ";
  return {blas_trials(), by_names};
}

}  // namespace abax::tests::faults
