// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What all names of the CBLAS share. A row-major matrix is the transposed column-major one: op(A) op(B) becomes
/// op(B)^T op(A)^T, A x becomes A^T x.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "abax/cblas.h"
#include "batches.hpp"
#include "omatcopy.hpp"
#include "vectors.hpp"

namespace abax::blas {

/// Whether RowMajorStrg is what this thread has set it to. (Other threads may be telling of their own calls.)
inline constinit thread_local bool set_here = false;

/// cblas_xerbla of this width of integers.
template <class Int>
constexpr auto xerbla = [] {
  if constexpr (sizeof(Int) == 4)
    return cblas_xerbla;
  else
    return cblas_xerbla_64;
}();

/// Tells cblas_xerbla, to which a routine has the same name for either width.
template <class Int>
struct complaint {
  const char* routine;

  explicit complaint(const char* of) : routine(of) {
    if (set_here) RowMajorStrg = set_here = false;  // cblas_xerbla left this thread's last call by a jump
  }
  // No object's end sets it back, because a jump may not pass one by.
  void operator()(int info, const char* format, int value, bool row_major = false) const {
    char name[32] = "";
    std::memcpy(name, routine, std::strlen(routine) - (sizeof(Int) == 4 ? 0 : 3));  // cblas_dgemm_64
    RowMajorStrg = row_major;
    set_here = true;
    try {
      xerbla<Int>(info, name, format, value);
    } catch (...) {
      RowMajorStrg = set_here = false;
      throw;
    }
    RowMajorStrg = set_here = false;
  }
};

/// call.run(), told as `given`, which adds the caller's arguments; arguments are checked.
template <class Call, class Given>
auto perform(const char* routine, const Call& call, const Given& given) {
  return c::told(routine, c::timing::of_all, given, [&] { return call.run(); });
}
/// A routine that has the same arguments in C and in Fortran.
template <class Int, class Call>
auto perform(const char* routine, const Call& call) {
  if (const int info = call.check(); info != 0) [[unlikely]] {
    complaint<Int>{routine}(info, "", 0);
    return decltype(call.run())();
  }
  return perform(routine, call, [&](c::line& text) { call.describe(text); });
}

/// 'N', 'T' or 'C'; 0 for a number that is none of them, CblasConjNoTrans among them.
inline char letter(CBLAS_TRANSPOSE trans) {
  switch (trans) {
    case CblasNoTrans:
      return 'N';
    case CblasTrans:
      return 'T';
    case CblasConjTrans:
      return 'C';
    case CblasConjNoTrans:
      break;
  }
  return 0;
}
/// Also 'R', the conjugates where they are, which omatcopy takes of complex numbers.
inline char letter_of_copy(CBLAS_TRANSPOSE trans) { return trans == CblasConjNoTrans ? 'R' : letter(trans); }
inline char letter(CBLAS_UPLO uplo) {
  switch (uplo) {
    case CblasUpper:
      return 'U';
    case CblasLower:
      return 'L';
  }
  return 0;
}
/// Counted from 0, also where there is none.
template <class Int, class T>
size_t index_of_largest(const char* routine, const iamax<T>& call) {
  return static_cast<size_t>(std::max<int64_t>(1, perform<Int>(routine, call)) - 1);
}
inline bool is_layout(CBLAS_LAYOUT layout) { return layout == CblasRowMajor || layout == CblasColMajor; }

inline void describe_layout(c::line& text, CBLAS_LAYOUT layout) {
  text.add(layout == CblasRowMajor ? "layout=RowMajor" : "layout=ColMajor");
}

/// `given`: the arguments as they stand in the call.
template <class Int, class T>
void perform(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB,
             const gemm<T>& given) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const bool row_major = layout == CblasRowMajor;
  if (given.trans_a == 0) return wrong(2, "Illegal TransA setting, %d\n", TransA, row_major);
  // The reference, too, calls both transpositions of a row-major call the second argument.
  if (given.trans_b == 0) return wrong(row_major ? 2 : 3, "Illegal TransB setting, %d\n", TransB, row_major);
  const gemm<T> call = row_major ? given.of_rows() : given;
  if (int info = call.check(); info != 0) {
    if (row_major && (info == 7 || info == 9)) info = 16 - info;  // A and B, which no cblas_xerbla exchanges
    return wrong(info + 1, "", 0, row_major);
  }
  perform(wrong.routine, call, [&](c::line& text) {
    describe_layout(text, layout);
    given.describe(text);
  });
}

template <class Int, class T>
void perform(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE TransA,
             CBLAS_TRANSPOSE TransB, const gemmt<T>& given) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const bool row_major = layout == CblasRowMajor;
  if (given.uplo == 0) return wrong(2, "Illegal Uplo setting, %d\n", Uplo);
  if (given.trans_a == 0) return wrong(3, "Illegal TransA setting, %d\n", TransA, row_major);
  if (given.trans_b == 0) return wrong(4, "Illegal TransB setting, %d\n", TransB, row_major);
  gemmt<T> call = given;
  if (row_major) {
    call.turned = true;
    call.uplo = other(call.uplo);
    std::swap(call.trans_a, call.trans_b);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
  }
  if (int info = call.check(); info != 0) {
    if (row_major && (info == 7 || info == 9)) info = 16 - info;  // A and B, which no cblas_xerbla exchanges
    return wrong(info + 1, "", 0, row_major);
  }
  perform(wrong.routine, call, [&](c::line& text) {
    describe_layout(text, layout);
    given.describe(text);
  });
}

template <class Int, class T, bool hermitian>
void perform(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_UPLO Uplo, CBLAS_TRANSPOSE Trans,
             const rank_k<T, hermitian>& given) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const bool row_major = layout == CblasRowMajor;
  // The reference, too, calls the triangle of a row-major call the third argument.
  if (given.uplo == 0) return wrong(row_major ? 3 : 2, "Illegal Uplo setting, %d\n", Uplo, row_major);
  if (!given.takes(given.trans)) return wrong(3, "Illegal Trans setting, %d\n", Trans, row_major);
  rank_k<T, hermitian> call = given;
  if (row_major) {
    call.turned = true;
    call.uplo = other(call.uplo);
    call.trans = call.turned_back();
  }
  if (const int info = call.check(); info != 0) return wrong(info + 1, "", 0, row_major);
  perform(wrong.routine, call, [&](c::line& text) {
    describe_layout(text, layout);
    given.describe(text);
  });
}

template <class Int, class T>
void perform(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, const gemv<T>& given) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  const bool row_major = layout == CblasRowMajor;
  if (given.trans == 0) return wrong(2, "Illegal TransA setting, %d\n", Trans, row_major);
  gemv<T> call = given;
  if (row_major) {
    call.trans_by_rows = call.trans;
    call.trans = transposes(call.trans) ? 'N' : 'T';
    std::swap(call.m, call.n);
  }
  if (const int info = call.check(); info != 0) return wrong(info + 1, "", 0, row_major);
  perform(wrong.routine, call, [&](c::line& text) {
    describe_layout(text, layout);
    given.describe(text);
  });
}

/// A batch, whose numbers are those of the call as it was made, in either layout.
template <class Int, class Call>
void perform_batch(const complaint<Int>& wrong, CBLAS_LAYOUT layout, const Call& call) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  if (const int info = call.check(); info != 0) return wrong(info + 1, "", 0);
  perform(wrong.routine, call, [&](c::line& text) {
    describe_layout(text, layout);
    call.describe(text);
  });
}

template <class Int, class T>
void perform(const complaint<Int>& wrong, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE Trans, const omatcopy<T>& call) {
  if (!is_layout(layout)) return wrong(1, "Illegal layout setting, %d\n", layout);
  if (call.trans == 0) return wrong(2, "Illegal Trans setting, %d\n", Trans);
  perform<Int>(wrong.routine, call);  // here both lists are alike
}
inline char order(CBLAS_LAYOUT layout) { return layout == CblasRowMajor ? 'R' : 'C'; }

}  // namespace abax::blas
