// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed and copied matrices.
#include "one_call.hpp"

namespace abax::tests::fuzz {
namespace {

/// op(A), bits untouched but for a sign.
template <class T>
matrix<T> turned(char op, const matrix<T>& A) {
  if constexpr (is_complex<T>) {
    if (op == 'R') return reference::transpose(reference::transpose(A, true), false);
    return transposes(op) ? reference::transpose(A, op == 'C' || op == 'c') : A;
  } else {
    return transposes(op) ? reference::transpose(A) : A;
  }
}

template <class T>
void omatcopy(one_call& c) {
  c.kernel = "omatcopy";
  char trans = is_complex<T> && c.choose.one_in(4) ? 'R' : c.op();
  const bool rows = c.choose.below(2) == 1, turns = transposes(trans) && trans != 'R';
  char order = rows ? 'R' : 'C';
  index_t m = c.extent(), n = c.extent();
  const T alpha = c.factor<T>();
  const auto A = c.place<T>(0, c.matrix_layout(m, n, rows, false));
  auto B = c.place<T>(1, c.matrix_layout(turns ? n : m, turns ? m : n, rows, true));
  index_t lda = c.ld_of(A.where(), rows), ldb = c.ld_of(B.where(), rows);
  const T* a = A.first();
  T* to = B.first();
  const bool acts = m > 0 && n > 0, reads = acts && !is_value(alpha, 0);
  const int bad = c.spoil({{1, true, [&] { order = 'X'; }},
                           {2, true, [&] { trans = is_complex<T> ? 'X' : 'R'; }},
                           {3, true, [&] { m = -1; }},
                           {4, true, [&] { n = -1; }},
                           {7, true, [&] { lda = c.too_small(A.where(), rows); }},
                           {9, true, [&] { ldb = c.too_small(B.where(), rows); }},
                           {6, reads, [&] { a = nullptr; }},
                           {8, acts, [&] { to = nullptr; }}});
  if (bad == 0) {
    const matrix<T> from = turned(trans, A.values());
    B.expect(is_value(alpha, 0)   ? matrix<T>(from.rows, from.cols)
             : is_value(alpha, 1) ? from
                                  : multiplied(alpha, from));
  }
  c.tell<T>("order trans m n alpha ldA ldB A B", order, trans, m, n, alpha, lda, ldb, a, to);
  c.run([&] {
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      const CBLAS_LAYOUT layout = order == 'X' ? CBLAS_LAYOUT(0) : layout_of(rows);
      if (c.is_cblas())
        by_value<Int>(f::cblas_omatcopy, layout, number_of(trans), m, n, alpha, a, lda, to, ldb);
      else
        by_address<Int>(f::omatcopy, order, trans, m, n, alpha, a, lda, to, ldb);
    });
    c.expect_info(bad, the_same);
  });
  c.expect(B.difference("B"));
  c.expect(A.difference("A"));
}

/// `conjugated`: A^H.
template <class T>
void transpose(one_call& c, bool conjugated) {
  c.kernel = conjugated ? "conjugate_transpose" : "transpose";
  index_t m = c.extent(), n = c.extent();
  const auto A = c.place<T>(0, c.matrix_layout(m, n, false, false));
  auto B = c.place<T>(1, c.matrix_layout(n, m, false, true));
  const T* a = A.first();
  T* to = B.first();
  layout la = A.where(), lb = B.where();
  const bool acts = m > 0 && n > 0;
  const int bad = c.spoil({{1, true, [&] { m = -1; }},
                           {2, true, [&] { n = -1; }},
                           {3, acts, [&] { a = nullptr; }},
                           {6, acts, [&] { to = nullptr; }},
                           {7, acts && n > 1, [&] { lb.row_stride = 0; }},
                           {4, acts && m > 1, [&] { la.row_stride = -far; }},
                           {6, acts, [&] { to = const_cast<T*>(a); }}});
  if (bad == 0) B.expect(turned(conjugated ? 'C' : 'T', A.values()));
  c.tell<T>("m n rsA csA rsB csB A B", m, n, la.row_stride, la.col_stride, lb.row_stride, lb.col_stride, a, to);
  c.run([&] {
    const auto make = [&](auto function) {
      c.expect_status(function(c.stream, m, n, a, la.row_stride, la.col_stride, to, lb.row_stride, lb.col_stride), bad);
    };
    if constexpr (is_complex<T>) {
      if (conjugated) return make(functions<T>::conjugate_transpose);
    }
    make(functions<T>::transpose);
  });
  c.expect(B.difference("B"));
  c.expect(A.difference("A"));
}

template <class T>
void transpose_in_place(one_call& c, bool conjugated) {
  c.kernel = conjugated ? "conjugate_transpose_in_place" : "transpose_in_place";
  index_t n = c.extent();
  auto A = c.place<T>(0, c.matrix_layout(n, n, false, true));
  T* to = A.first();
  layout la = A.where();
  const int bad = c.spoil({{1, true, [&] { n = -1; }},
                           {2, n > 0, [&] { to = nullptr; }},
                           {3, n > 1, [&] { la.row_stride = la.col_stride; }}});
  if (bad == 0) A.expect(turned(conjugated ? 'C' : 'T', A.values()));
  c.tell<T>("n rsA csA A", n, la.row_stride, la.col_stride, to);
  c.run([&] {
    const auto make = [&](auto function) {
      c.expect_status(function(c.stream, n, to, la.row_stride, la.col_stride), bad);
    };
    if constexpr (is_complex<T>) {
      if (conjugated) return make(functions<T>::conjugate_transpose_in_place);
    }
    make(functions<T>::transpose_in_place);
  });
  c.expect(A.difference("A"));
}

}  // namespace

template <class T>
void transposition(one_call& c) {
  if (!c.is_native()) return omatcopy<T>(c);
  const bool in_place = c.choose.below(2) == 1, conjugated = is_complex<T> && c.choose.below(2) == 1;
  return in_place ? transpose_in_place<T>(c, conjugated) : transpose<T>(c, conjugated);
}
template void transposition<float>(one_call&);
template void transposition<double>(one_call&);
template void transposition<c32>(one_call&);
template void transposition<c64>(one_call&);

}  // namespace abax::tests::fuzz
