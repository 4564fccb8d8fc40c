// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of products, by strides or by arrays of pointers.
#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

#include "one_call.hpp"

namespace abax::tests::fuzz {
namespace {

/// Matrices in one operand: item i has shapes[i], and its element (0, 0) is number firsts[i] of the operand's.
template <class T>
struct pile {
  std::vector<layout> shapes;
  std::vector<index_t> firsts;
  operand<T> all;

  T* at(index_t item) const { return all.first() + firsts.at(static_cast<std::size_t>(item)); }
  matrix<T> values(index_t item) const {
    const matrix<T> line = all.values();
    const layout& shape = shapes.at(static_cast<std::size_t>(item));
    matrix<T> result(shape.rows, shape.cols);
    for (index_t j = 0; j < shape.cols; ++j)
      for (index_t i = 0; i < shape.rows; ++i) result(i, j) = line(place(item, i, j));
    return result;
  }
  /// Of `line`, all elements of the operand, those of the item become `values`.
  void put(matrix<T>& line, index_t item, const matrix<T>& values) const {
    for (index_t j = 0; j < values.cols; ++j)
      for (index_t i = 0; i < values.rows; ++i) line(place(item, i, j)) = values(i, j);
  }
  index_t place(index_t item, index_t i, index_t j) const {
    const auto at = static_cast<std::size_t>(item);
    return firsts.at(at) + i * shapes.at(at).row_stride + j * shapes.at(at).col_stride;
  }
};

/// `items` matrices of the shape `one`, `step` elements from one to the next, which is drawn: 0 if they are `shared`.
/// Those that are `interleaved` get strides such that equal elements of all items lie side by side.
template <class T>
pile<T> strided(one_call& c, int slot, layout& one, index_t items, bool interleaved, bool shared, index_t& step) {
  if (interleaved) {
    const index_t apart = std::max<index_t>(1, items) + c.choose.below(4);
    if (one.rows > 1) one.row_stride = apart * (std::abs(one.row_stride) > 100 ? 100 : one.row_stride);
    if (one.cols > 1) one.col_stride *= apart;
  }
  const index_t span = one.span();
  step = shared ? 0 : interleaved ? 1 : span + c.choose.below(5);
  if (c.is_native() && c.choose.one_in(8)) step = -step;
  const index_t back = std::max<index_t>(0, -step * (items - 1));
  pile<T> result{std::vector<layout>(static_cast<std::size_t>(items), one),
                 {},
                 c.place<T>(slot, {items == 0 ? 0 : std::abs(step) * (items - 1) + span, 1, 1, 0})};
  for (index_t i = 0; i < items; ++i) result.firsts.push_back(one.before() + back + i * step);
  if (items <= 1 && c.choose.one_in(8)) step = c.unused(c.is_native());
  return result;
}

/// A matrix of each of the shapes, one behind another in some order; if `shared`, equal shapes that follow one another
/// are one matrix.
template <class T>
pile<T> scattered(one_call& c, int slot, const std::vector<layout>& shapes, bool shared) {
  const auto equal = [](const layout& a, const layout& b) {
    return a.rows == b.rows && a.cols == b.cols && a.row_stride == b.row_stride && a.col_stride == b.col_stride;
  };
  const std::size_t items = shapes.size();
  const bool backwards = c.choose.below(2) == 1;
  std::vector<index_t> firsts(items);
  index_t end = 0;
  for (std::size_t turn = 0; turn < items; ++turn) {
    const std::size_t i = backwards ? items - 1 - turn : turn, before = backwards ? i + 1 : i - 1;
    if (shared && turn > 0 && equal(shapes[i], shapes[before])) {
      firsts[i] = firsts[before];
      continue;
    }
    end += c.choose.below(5);
    firsts[i] = end + shapes[i].before();
    end += shapes[i].span();
  }
  return {shapes, firsts, c.place<T>(slot, {end, 1, 1, 0})};
}

template <class T>
void gemm_batched(one_call& c) {
  c.kernel = "gemm_batched";
  char ta = c.op(), tb = c.op();
  index_t m = c.extent() % 20, n = c.extent() % 20, k = c.extent() % 20, items = c.choose.below(6);
  const bool interleaved = c.is_native() && c.choose.below(2) == 1;
  if (interleaved) items = c.choose.below(40), m %= 6, n %= 6, k %= 6;
  const T alpha = c.factor<T>(), beta = c.factor<T>();
  const bool rows = c.by_rows(), turns_a = transposes(ta), turns_b = transposes(tb);
  layout la = c.matrix_layout(turns_a ? k : m, turns_a ? m : k, rows, false),
         lb = c.matrix_layout(turns_b ? n : k, turns_b ? k : n, rows, false), lc = c.matrix_layout(m, n, rows, true);
  index_t isa = 0, isb = 0, isc = 0;
  const pile<T> A = strided<T>(c, 0, la, items, interleaved, c.choose.one_in(4), isa);
  const pile<T> B = strided<T>(c, 1, lb, items, interleaved, c.choose.one_in(4), isb);
  pile<T> C = strided<T>(c, 2, lc, items, interleaved, false, isc);
  const bool reads = !is_value(alpha, 0) && k != 0 && m != 0 && n != 0 && items != 0;
  const T *a = items == 0 ? A.all.first() : A.at(0), *b = items == 0 ? B.all.first() : B.at(0);
  T* to = items == 0 ? C.all.first() : C.at(0);
  index_t lda = c.ld_of(la, rows), ldb = c.ld_of(lb, rows), ldc = c.ld_of(lc, rows);
  const int bad = c.is_native() ? c.spoil({{1, true, [&] { ta = 'X'; }},
                                           {2, true, [&] { tb = 'X'; }},
                                           {3, true, [&] { m = -1; }},
                                           {4, true, [&] { n = -1; }},
                                           {5, true, [&] { k = -1; }},
                                           {17, true, [&] { items = -1; }},
                                           {7, reads, [&] { a = nullptr; }},
                                           {10, reads, [&] { b = nullptr; }},
                                           {14, reads, [&] { to = nullptr; }},
                                           {9, reads && items > 1, [&] { isa = -far; }},
                                           {16, reads && items > 1, [&] { isc = 0; }}})
                                : c.spoil({c.wrong_layout(),
                                           {1, true, [&] { ta = 'X'; }},
                                           {2, true, [&] { tb = 'X'; }},
                                           {3, true, [&] { m = -1; }},
                                           {4, true, [&] { n = -1; }},
                                           {5, true, [&] { k = -1; }},
                                           {8, true, [&] { lda = c.too_small(la, rows); }},
                                           {9, true, [&] { isa = -1; }},
                                           {11, true, [&] { ldb = c.too_small(lb, rows); }},
                                           {12, true, [&] { isb = -1; }},
                                           {15, true, [&] { ldc = c.too_small(lc, rows); }},
                                           {16, true, [&] { isc = -1; }},
                                           {17, true, [&] { items = -1; }},
                                           {7, reads, [&] { a = nullptr; }},
                                           {10, reads, [&] { b = nullptr; }},
                                           {14, reads, [&] { to = nullptr; }},
                                           {9, reads && items > 1 && c.is_wide(), [&] { isa = far; }},
                                           {16, reads && items > 1 && c.is_wide(), [&] { isc = far; }}});
  if (bad == 0) {
    matrix<T> all = C.all.values();
    for (index_t i = 0; i < items; ++i)
      C.put(all, i, reference::gemm(ta, tb, alpha, A.values(i), B.values(i), beta, C.values(i)));
    C.all.expect(all);
  }
  c.tell<T>("transA transB m n k items alpha beta rsA csA isA rsB csB isB rsC csC isC ldA ldB ldC A B C", ta, tb, m, n,
            k, items, alpha, beta, la.row_stride, la.col_stride, isa, lb.row_stride, lb.col_stride, isb, lc.row_stride,
            lc.col_stride, isc, lda, ldb, ldc, a, b, to);
  c.run([&] {
    if (c.is_native())
      return c.expect_status(
          functions<T>::gemm_batched(c.stream, ta, tb, items, m, n, k, alpha, a, isa, la.row_stride, la.col_stride, b,
                                     isb, lb.row_stride, lb.col_stride, beta, to, isc, lc.row_stride, lc.col_stride),
          bad);
    with_names<T>(c, [&]<class f>(f) {
      if (c.is_cblas())
        by_value<typename f::integer>(f::cblas_gemm_batch_strided, layout_of(rows, bad), number_of(ta), number_of(tb),
                                      m, n, k, alpha, a, lda, isa, b, ldb, isb, beta, to, ldc, isc, items);
      else
        by_address<typename f::integer>(f::gemm_batch_strided, ta, tb, m, n, k, alpha, a, lda, isa, b, ldb, isb, beta,
                                        to, ldc, isc, items);
    });
    c.expect_info(bad, after_layout);
  });
  c.expect(C.all.difference("C"));
  c.expect(A.all.difference("A"));
  c.expect(B.all.difference("B"));
}

/// One group of products whose matrices begin where pointers say.
template <class T>
struct group {
  char ta, tb;
  index_t m, n, k, items;
  T alpha, beta;
  layout la, lb, lc;
  index_t lda, ldb, ldc;

  group(one_call& c, bool rows)
      : ta(c.op()),
        tb(c.op()),
        m(c.extent() % 16),
        n(c.extent() % 16),
        k(c.extent() % 16),
        items(c.choose.below(5)),
        alpha(c.factor<T>()),
        beta(c.factor<T>()),
        la(lying(c, transposes(ta) ? k : m, transposes(ta) ? m : k, rows)),
        lb(lying(c, transposes(tb) ? n : k, transposes(tb) ? k : n, rows)),
        lc(lying(c, m, n, rows)),
        lda(c.ld_of(la, rows)),
        ldb(c.ld_of(lb, rows)),
        ldc(c.ld_of(lc, rows)) {}
  /// Also of abax.h with a leading dimension.
  static layout lying(one_call& c, index_t rows, index_t cols, bool by_rows) {
    const index_t line = by_rows ? cols : rows, lines = by_rows ? rows : cols;
    const index_t ld =
        lines <= 1 && c.choose.one_in(16) ? c.unused(false) : std::max<index_t>(1, line) + c.choose.below(4);
    return {rows, cols, by_rows ? ld : 1, by_rows ? 1 : ld};
  }
  bool reads() const { return items != 0 && m != 0 && n != 0 && k != 0 && !is_value(alpha, 0); }
};

/// gemm_batch of the BLAS, of groups; gemm_batched_at of abax.h, of one.
template <class T>
void gemm_at(one_call& c) {
  c.kernel = c.is_native() ? "gemm_batched_at" : "gemm_batch";
  const bool rows = c.by_rows();
  std::vector<group<T>> groups;
  for (int count = c.is_native() ? 1 : c.choose.below(4); count > 0; --count) groups.emplace_back(c, rows);
  std::vector<layout> las, lbs, lcs;
  std::vector<std::size_t> group_of, firsts;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    firsts.push_back(las.size());
    for (index_t i = 0; i < groups[g].items; ++i) {
      las.push_back(groups[g].la);
      lbs.push_back(groups[g].lb);
      lcs.push_back(groups[g].lc);
      group_of.push_back(g);
    }
  }
  const pile<T> A = scattered<T>(c, 0, las, c.choose.one_in(4)), B = scattered<T>(c, 1, lbs, c.choose.one_in(4));
  pile<T> C = scattered<T>(c, 2, lcs, false);
  std::vector<const T*> a, b;
  std::vector<T*> to;
  for (std::size_t i = 0; i < las.size(); ++i) {
    const bool read = groups[group_of[i]].reads();
    a.push_back(read || c.choose.below(2) == 1 ? A.at(index_t(i)) : nullptr);
    b.push_back(read || c.choose.below(2) == 1 ? B.at(index_t(i)) : nullptr);
    to.push_back(C.at(index_t(i)));
  }
  const T* const* as = a.data();
  const T* const* bs = b.data();
  T* const* tos = to.data();
  if (groups.empty()) groups.emplace_back(c, rows), firsts.push_back(0), groups.back().items = 0;
  const bool none = group_of.empty() && !c.is_native() && c.choose.below(2) == 1;
  index_t count = none ? 0 : index_t(groups.size());
  const std::size_t of = static_cast<std::size_t>(c.choose.below(static_cast<int>(groups.size())));
  group<T> bad_group = groups[of];
  group<T>& g = bad_group;
  const bool there = count > 0, reads = there && g.reads();
  const std::size_t last = firsts[of] + static_cast<std::size_t>(std::max<index_t>(1, g.items)) - 1;
  const int bad = c.is_native() ? c.spoil({{1, true, [&] { g.ta = 'X'; }},
                                           {2, true, [&] { g.tb = 'X'; }},
                                           {3, true, [&] { g.m = -1; }},
                                           {4, true, [&] { g.n = -far; }},
                                           {5, true, [&] { g.k = -1; }},
                                           {15, true, [&] { g.items = -1; }},
                                           {8, true, [&] { g.lda = c.too_small(g.la, rows); }},
                                           {10, true, [&] { g.ldb = c.too_small(g.lb, rows); }},
                                           {13, true, [&] { g.ldc = c.too_small(g.lc, rows); }},
                                           {8, g.la.rows > 0 && g.la.cols > 1, [&] { g.lda = far; }},
                                           {13, g.lc.rows > 0 && g.lc.cols > 1, [&] { g.ldc = far; }},
                                           {7, reads, [&] { as = nullptr; }},
                                           {9, reads, [&] { bs = nullptr; }},
                                           {12, reads, [&] { tos = nullptr; }}})
                                : c.spoil({c.wrong_layout(),
                                           {14, true, [&] { count = -1; }},
                                           {1, there, [&] { g.ta = 'X'; }},
                                           {2, there, [&] { g.tb = 'X'; }},
                                           {3, there, [&] { g.m = -1; }},
                                           {4, there, [&] { g.n = -1; }},
                                           {5, there, [&] { g.k = -1; }},
                                           {8, there, [&] { g.lda = c.too_small(g.la, rows); }},
                                           {10, there, [&] { g.ldb = c.too_small(g.lb, rows); }},
                                           {13, there, [&] { g.ldc = c.too_small(g.lc, rows); }},
                                           {15, there, [&] { g.items = -1; }},
                                           {7, reads, [&] { a.at(last) = nullptr; }},
                                           {9, reads, [&] { b.at(last) = nullptr; }},
                                           {12, reads, [&] { to.at(last) = nullptr; }}});
  if (bad == 0) {
    matrix<T> all = C.all.values();
    for (std::size_t i = 0; i < group_of.size(); ++i) {
      const group<T>& own = groups[group_of[i]];
      const auto item = index_t(i);
      C.put(all, item,
            reference::gemm(own.ta, own.tb, own.alpha, A.values(item), B.values(item), own.beta, C.values(item)));
    }
    C.all.expect(all);
  }
  groups[of] = bad_group;
  if (c.tells)
    for (const group<T>& one : groups)
      c.tell<T>("transA transB m n k items alpha beta ldA ldB ldC", one.ta, one.tb, one.m, one.n, one.k, one.items,
                one.alpha, one.beta, one.lda, one.ldb, one.ldc);
  c.run([&] {
    if (c.is_native())
      return c.expect_status(functions<T>::gemm_batched_at(c.stream, g.ta, g.tb, g.items, g.m, g.n, g.k, g.alpha, as,
                                                           g.lda, bs, g.ldb, g.beta, tos, g.ldc),
                             bad);
    with_names<T>(c, [&]<class f>(f) {
      using Int = typename f::integer;
      const auto list = [&](const auto& of_group) {
        std::vector<std::decay_t<decltype(of_group(g))>> all;
        for (const group<T>& one : groups) all.push_back(of_group(one));
        return all;
      };
      const auto numbers = [&](index_t group<T>::*member) {
        return list([&](const group<T>& one) { return static_cast<Int>(one.*member); });
      };
      const auto ms = numbers(&group<T>::m), ns = numbers(&group<T>::n), ks = numbers(&group<T>::k),
                 ldas = numbers(&group<T>::lda), ldbs = numbers(&group<T>::ldb), ldcs = numbers(&group<T>::ldc),
                 sizes = numbers(&group<T>::items);
      const auto alphas = list([](const group<T>&one) { return one.alpha; }),
                 betas = list([](const group<T>&one) { return one.beta; });
      const auto tas = list([](const group<T>&one) { return one.ta; }),
                 tbs = list([](const group<T>&one) { return one.tb; });
      const Int groups_there = static_cast<Int>(count);
      if (!c.is_cblas())
        return f::gemm_batch(tas.data(), tbs.data(), ms.data(), ns.data(), ks.data(), alphas.data(), as, ldas.data(),
                             bs, ldbs.data(), betas.data(), tos, ldcs.data(), &groups_there, sizes.data());
      const auto numbers_a = list([](const group<T>&one) { return number_of(one.ta); }),
                 numbers_b = list([](const group<T>&one) { return number_of(one.tb); });
      const auto make = [&](auto in_a, auto in_b, auto out) {
        f::cblas_gemm_batch(layout_of(rows, bad), numbers_a.data(), numbers_b.data(), ms.data(), ns.data(), ks.data(),
                            alphas.data(), in_a, ldas.data(), in_b, ldbs.data(), betas.data(), out, ldcs.data(),
                            groups_there, sizes.data());
      };
      if constexpr (is_complex<T>)
        make(reinterpret_cast<const void* const*>(as), reinterpret_cast<const void* const*>(bs),
             reinterpret_cast<void* const*>(tos));
      else
        make(as, bs, tos);
    });
    c.expect_info(bad, after_layout);
  });
  c.expect(C.all.difference("C"));
  c.expect(A.all.difference("A"));
  c.expect(B.all.difference("B"));
}

/// Of abax.h alone.
template <class T>
void gemv_batched(one_call& c) {
  c.kernel = "gemv_batched";
  char trans = c.op();
  index_t m = c.extent(), n = c.extent(), items = c.choose.below(6);
  const bool interleaved = c.choose.below(2) == 1;
  if (interleaved) items = c.choose.below(40), m %= 6, n %= 6;
  const T alpha = c.factor<T>(), beta = c.factor<T>();
  const bool turns = transposes(trans);
  layout la = c.matrix_layout(m, n, false, false), lx = c.vector_layout(turns ? m : n, true),
         ly = c.vector_layout(turns ? n : m, false);
  index_t isa = 0, isx = 0, isy = 0;
  const pile<T> A = strided<T>(c, 0, la, items, interleaved, c.choose.one_in(4), isa);
  const pile<T> x = strided<T>(c, 1, lx, items, interleaved, c.choose.one_in(4), isx);
  pile<T> y = strided<T>(c, 2, ly, items, interleaved, false, isy);
  index_t incx = lx.row_stride, incy = ly.row_stride;
  const bool reads = !is_value(alpha, 0) && m != 0 && n != 0 && items != 0;
  const T *a = items == 0 ? A.all.first() : A.at(0), *from = items == 0 ? x.all.first() : x.at(0);
  T* to = items == 0 ? y.all.first() : y.at(0);
  if (!reads && c.choose.below(2) == 1) a = from = nullptr;
  const int bad = c.spoil({{1, true, [&] { trans = 'X'; }},
                           {2, true, [&] { items = -1; }},
                           {3, true, [&] { m = -far; }},
                           {4, true, [&] { n = -1; }},
                           {6, reads, [&] { a = nullptr; }},
                           {10, reads, [&] { from = nullptr; }},
                           {14, reads, [&] { to = nullptr; }},
                           {7, reads && items > 1, [&] { isa = far; }},
                           {12, reads && lx.rows > 1, [&] { incx = far; }},
                           {15, reads && items > 1, [&] { isy = 0; }},
                           {16, reads && ly.rows > 1, [&] { incy = 0; }}});
  if (bad == 0) {
    matrix<T> all = y.all.values();
    for (index_t i = 0; i < items; ++i)
      y.put(all, i, reference::gemm(trans, 'N', alpha, A.values(i), x.values(i), beta, y.values(i)));
    y.all.expect(all);
  }
  c.tell<T>("trans items m n alpha beta isA rsA csA isx incx isy incy A x y", trans, items, m, n, alpha, beta, isa,
            la.row_stride, la.col_stride, isx, incx, isy, incy, a, from, to);
  c.run([&] {
    c.expect_status(functions<T>::gemv_batched(c.stream, trans, items, m, n, alpha, a, isa, la.row_stride,
                                               la.col_stride, from, isx, incx, beta, to, isy, incy),
                    bad);
  });
  c.expect(y.all.difference("y"));
  c.expect(A.all.difference("A"));
  c.expect(x.all.difference("x"));
}

}  // namespace

template <class T>
void batch(one_call& c) {
  switch (c.choose.below(3)) {
    case 0:
      return gemm_batched<T>(c);
    case 1:
      return gemm_at<T>(c);
    default:
      return c.is_native() ? gemv_batched<T>(c) : gemm_batched<T>(c);
  }
}
template void batch<float>(one_call&);
template void batch<double>(one_call&);
template void batch<c32>(one_call&);
template void batch<c64>(one_call&);

}  // namespace abax::tests::fuzz
