// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "one_call.hpp"

#include <cstdio>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern "C" {

// Called in the place of the library's, which print.
void xerbla_(const char*, const std::int32_t* info, std::size_t) { abax::tests::last.info = *info; }
void xerbla_64_(const char*, const std::int64_t* info, std::size_t) { abax::tests::last.info = *info; }
void cblas_xerbla(std::int32_t info, const char*, const char*, ...) { abax::tests::last.info = info; }
void cblas_xerbla_64(std::int64_t info, const char*, const char*, ...) { abax::tests::last.info = info; }

}  // extern "C"

namespace abax::tests::fuzz {

index_t one_call::extent() {
  const int turn = choose.below(64);
  if (turn == 1) return choose.below(160);
  return turn < 12 ? choose.below(41) : turn < 20 ? choose.below(3) : choose.below(13);
}

index_t one_call::terms(index_t m, index_t n) {
  return std::max(m, n) <= 12 && m * n <= 24 && choose.one_in(64) ? choose.below(4500) : extent();
}

index_t one_call::length() {
  return choose.one_in(32) ? choose.below(4000) : choose.below(choose.one_in(4) ? 200 : 30);
}

index_t one_call::unused(bool may_be_negative) {
  const index_t most = is_wide() ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int32_t>::max();
  const index_t numbers[] = {most, most - choose.below(64), most / 2, most / 8 + 1};
  const index_t number = numbers[choose.below(4)];
  return may_be_negative && choose.below(2) == 1 ? -number - choose.below(2) : number;
}

layout one_call::matrix_layout(index_t rows, index_t cols, bool lies_by_rows, bool written) {
  const bool turned = is_native() ? choose.below(2) == 1 : lies_by_rows;
  const index_t paddings[] = {0, 0, 0, 1, 2, 3, 7, 40};
  const index_t step = is_native() && choose.one_in(8) ? 1 + choose.below(3) : 1;
  index_t ld = std::max<index_t>(1, (turned ? cols : rows) * step) + paddings[choose.below(8)];
  if ((turned ? rows : cols) <= 1 && choose.one_in(16)) ld = unused(false);
  layout result{rows, cols, turned ? ld : step, turned ? step : ld};
  if (is_native()) {
    if (choose.one_in(8)) result.row_stride = -result.row_stride;
    if (choose.one_in(8)) result.col_stride = -result.col_stride;
    if (!written && choose.one_in(32)) result.row_stride = 0;
    if (!written && choose.one_in(32)) result.col_stride = 0;
    if (rows <= 1 && choose.one_in(16)) result.row_stride = unused(true);
    if (cols <= 1 && choose.one_in(16)) result.col_stride = unused(true);
  }
  return result;
}

layout one_call::vector_layout(index_t n, bool may_be_zero) {
  index_t increment = choose.below(2) == 0 ? 1 : 1 + choose.below(4);
  if (n < 16 && choose.one_in(256)) increment = 5000 + choose.below(1000);
  if (choose.one_in(4)) increment = -increment;
  if (n <= 1 && choose.one_in(8)) increment = unused(true);
  if (may_be_zero && choose.one_in(16)) increment = 0;
  return {n, 1, increment, 0};
}

int one_call::spoil(std::initializer_list<fault> faults) {
  if (!choose.one_in(12)) return 0;
  const fault& chosen = faults.begin()[choose.below(static_cast<int>(faults.size()))];
  if (!chosen.applies) return 0;
  if (chosen.apply) chosen.apply();
  refused = true;
  return chosen.position;
}

void tell_of(const one_call& c, const char* type, const std::string& arguments) {
  const char* const faces[] = {"Fortran", "Fortran, 64-bit integers", "CBLAS", "CBLAS, 64-bit integers", "abax.h"};
  std::printf("%s %s, %s: %s\n", c.kernel, type, faces[static_cast<int>(c.how)], arguments.c_str());
  std::fflush(stdout);
}

#if defined(__x86_64__)
namespace {

constexpr unsigned flush = 0x8040, upwards = 0x4000, sticky = 0x3F;

/// False under valgrind, whose processor forgets all modes but that of rounding.
bool has_modes() {
  const unsigned mode = _mm_getcsr(), set = mode | flush | upwards;
  _mm_setcsr(set);
  const unsigned kept = _mm_getcsr();
  _mm_setcsr(mode);
  return ((kept ^ set) & ~sticky) == 0;
}

}  // namespace
#endif

void one_call::run(const std::function<void()>& make) {
  last.info = 0;
#if defined(__x86_64__)
  static const bool settable = has_modes();
  const unsigned modes[] = {flush, upwards, flush | upwards};
  const unsigned mode = _mm_getcsr(), drawn = choose.one_in(64) ? mode | modes[choose.below(3)] : mode,
                 set = settable ? drawn : mode;
  _mm_setcsr(set);
  make();
  const unsigned left = _mm_getcsr();
  _mm_setcsr(mode);
  if (((left ^ set) & ~sticky) != 0) expect("the thread's floating-point mode was changed");
#else
  make();
#endif
}

void one_call::expect_told(int64_t want) {
  if (last.info != want) expect("xerbla was told " + std::to_string(last.info) + ", expected " + std::to_string(want));
}

void one_call::expect_status(abax_status status, int position) {
  const abax_status want = position == 0 ? ABAX_SUCCESS : ABAX_INVALID_ARGUMENT;
  const std::string message = abax_message(stream);
  if (status != want)
    expect(std::string("the status is ") + abax_status_text(status) + " (" + message + "), expected " +
           abax_status_text(want));
  else if (position != 0 && message.find("abax") != 0)
    expect("the message of a refused call is \"" + message + "\"");
}

CBLAS_TRANSPOSE number_of(char op) {
  switch (op) {
    case 'N':
    case 'n':
      return CblasNoTrans;
    case 'T':
    case 't':
      return CblasTrans;
    case 'C':
    case 'c':
      return CblasConjTrans;
    case 'R':
      return CblasConjNoTrans;
    default:
      return CBLAS_TRANSPOSE(0);
  }
}

}  // namespace abax::tests::fuzz
