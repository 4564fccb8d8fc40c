// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Batches of products, as MKL and OpenBLAS have them.
#include <algorithm>
#include <cstdint>

#include "../c/batches.hpp"
#include "products.hpp"

namespace abax::blas {

/// The shape of a batch's products. Their matrices lie by columns or by rows.
struct batch_shape {
  /// Lines of so many elements, so many lines, and the distance from one to the next.
  struct matrix {
    std::int64_t length, lines, ld;
  };
  bool by_rows;
  char trans_a, trans_b;
  std::int64_t m, n, k, lda, ldb, ldc;

  matrix a() const { return lying(transposes(trans_a) ? k : m, transposes(trans_a) ? m : k, lda); }
  matrix b() const { return lying(transposes(trans_b) ? n : k, transposes(trans_b) ? k : n, ldb); }
  matrix c() const { return lying(m, n, ldc); }
  bool is_empty() const { return m == 0 || n == 0; }

  /// The leading dimensions are arguments number 8, `at_ldb` and `at_ldc`.
  int check(int at_ldb, int at_ldc) const {
    if (!is_transposition(trans_a)) return 1;
    if (!is_transposition(trans_b)) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < least_ld(a().length)) return 8;
    if (ldb < least_ld(b().length)) return at_ldb;
    return ldc < least_ld(c().length) ? at_ldc : 0;
  }

 private:
  matrix lying(std::int64_t rows, std::int64_t cols, std::int64_t ld) const {
    return by_rows ? matrix{cols, rows, ld} : matrix{rows, cols, ld};
  }
};

/// C_i <- alpha op(A_i) op(B_i) + beta C_i for `items` items, each as far from the one before it as the strides say; as
/// in MKL and OpenBLAS. (A C that is not the stream's memory comes and goes with all that lies between its elements.)
template <class T>
struct gemm_batch_strided {
  batch_shape shape;
  T alpha;
  const T* a;
  std::int64_t stride_a;
  const T* b;
  std::int64_t stride_b;
  T beta;
  T* c;
  std::int64_t stride_c, items;

  int check() const {
    if (const int info = shape.check(11, 15)) return info;
    if (stride_a < 0) return 9;
    if (stride_b < 0) return 12;
    if (stride_c < 0) return 16;
    if (items < 0) return 17;
    if (returns_at_once()) return 0;
    if (multiplies()) {
      if (const int info = fault_of_items(7, a, shape.a(), stride_a)) return info;
      if (const int info = fault_of_items(10, b, shape.b(), stride_b)) return info;
    }
    return fault_of_items(14, c, shape.c(), stride_c);
  }
  void run() const {
    if (returns_at_once()) return;
    const std::int64_t size_c = size(shape.c(), stride_c);
    const auto on = [&](call& here, const T* A, const T* B) {
      T* const C = here.use(c, size_c, 1, size_c, access::update).data;
      const auto row = [&](std::int64_t ld) { return shape.by_rows ? ld : 1; };
      const auto col = [&](std::int64_t ld) { return shape.by_rows ? 1 : ld; };
      const auto& s = shape;
      here.require(interface<T>::gemm_batched(here.stream(), s.trans_a, s.trans_b, items, s.m, s.n, s.k, alpha, A,
                                              stride_a, row(s.lda), col(s.lda), B, stride_b, row(s.ldb), col(s.ldb),
                                              beta, C, stride_c, row(s.ldc), col(s.ldc)));
      here.finish();
    };
    if (!multiplies()) {
      call here("gemm_batch_strided", {range_of(c, size_c)});
      return on(here, nullptr, nullptr);
    }
    const std::int64_t size_a = size(shape.a(), stride_a), size_b = size(shape.b(), stride_b);
    call here("gemm_batch_strided", {range_of(a, size_a), range_of(b, size_b), range_of(c, size_c)});
    const T* const A = here.use(a, size_a, 1, size_a, access::read).data;
    on(here, A, here.use(b, size_b, 1, size_b, access::read).data);
  }
  void describe(c::line& text) const {
    text.add_arguments("transA,transB,m,n,k,alpha,lda,stridea,ldb,strideb,beta,ldc,stridec,batch_size", shape.trans_a,
                       shape.trans_b, shape.m, shape.n, shape.k, alpha, shape.lda, stride_a, shape.ldb, stride_b, beta,
                       shape.ldc, stride_c, items);
  }

 private:
  bool multiplies() const { return !is_zero(alpha) && shape.k != 0; }
  bool returns_at_once() const { return items == 0 || shape.is_empty() || (!multiplies() && is_one(beta)); }
  /// Elements from the first one to the last.
  std::int64_t size(const batch_shape::matrix& one, std::int64_t stride) const {
    return (items - 1) * stride + (one.lines - 1) * one.ld + one.length;
  }
  /// As that of one matrix; where the items do not fit the address space, the number of their stride.
  int fault_of_items(int at, const T* data, const batch_shape::matrix& one, std::int64_t stride) const {
    if (const int info = fault(at, data, one.length, one.lines, one.ld)) return info;
    return c::has_addresses(data, (one.lines - 1) * one.ld + one.length, items, 1, stride) ? 0 : at + 2;
  }
};

/// Groups of such products, the items of each group of one shape, whose matrices begin where arrays of pointers say; as
/// in MKL and OpenBLAS. All other arrays have an element for each group. `letter` makes a transposition a letter.
template <class T, class Int, class Trans>
struct gemm_batch {
  bool by_rows;
  char (*letter)(Trans);
  const Trans *trans_a, *trans_b;
  const Int *m, *n, *k;
  const T* alpha;
  const T* const* a;
  const Int* lda;
  const T* const* b;
  const Int* ldb;
  const T* beta;
  T* const* c;
  const Int* ldc;
  Int group_count;
  const Int* group_size;

  int check() const {
    if (group_count < 0) return 14;
    int info = 0;
    for_each_group([&](Int g, std::int64_t first) {
      if (info == 0) info = check(g, first);
    });
    return info;
  }
  void run() const {
    for_each_group([&](Int g, std::int64_t first) {
      if (!returns_at_once(g)) run(g, first);
    });
  }
  void describe(c::line& text) const { text.add_arguments("group_count", group_count); }

 private:
  template <class Visit>
  void for_each_group(const Visit& visit) const {
    std::int64_t first = 0;
    for (Int g = 0; g < group_count; ++g) {
      visit(g, first);
      first += std::max<Int>(0, group_size[g]);
    }
  }
  batch_shape shape(Int g) const {
    return {by_rows, letter(trans_a[g]), letter(trans_b[g]), m[g], n[g], k[g], lda[g], ldb[g], ldc[g]};
  }
  bool multiplies(Int g) const { return !is_zero(alpha[g]) && k[g] != 0; }
  bool returns_at_once(Int g) const {
    return group_size[g] == 0 || m[g] == 0 || n[g] == 0 || (!multiplies(g) && is_one(beta[g]));
  }
  int check(Int g, std::int64_t first) const {
    const batch_shape s = shape(g);
    if (const int info = s.check(10, 13)) return info;
    if (group_size[g] < 0) return 15;
    if (returns_at_once(g)) return 0;
    const auto fault_of = [](int at, const T* data, const batch_shape::matrix& one) {
      return fault(at, data, one.length, one.lines, one.ld);
    };
    for (std::int64_t i = first; i < first + group_size[g]; ++i) {
      if (multiplies(g)) {
        if (const int info = fault_of(7, a[i], s.a())) return info;
        if (const int info = fault_of(9, b[i], s.b())) return info;
      }
      if (const int info = fault_of(12, c[i], s.c())) return info;
    }
    return 0;
  }
  void run(Int g, std::int64_t first) const {
    const batch_shape s = shape(g);
    const T *const *from_a = multiplies(g) ? a + first : nullptr, *const *from_b = multiplies(g) ? b + first : nullptr;
    if constexpr (device::exists) {  // the first item's memory decides; there each product is on its own
      const T *const A = multiplies(g) ? *from_a : c[first], *const B = multiplies(g) ? *from_b : c[first];
      if (device::session::begin("gemm_batch", {{A, 0}, {B, 0}, {c[first], 0}})) {
        for (Int i = 0; i < group_size[g]; ++i) {
          const T *const A_i = multiplies(g) ? from_a[i] : nullptr, *const B_i = multiplies(g) ? from_b[i] : nullptr;
          const gemm<T> item{s.trans_a, s.trans_b, s.m,   s.n,     s.k,          alpha[g], A_i,
                             s.lda,     B_i,       s.ldb, beta[g], c[first + i], s.ldc};
          (by_rows ? item.of_rows() : item).run();
        }
        return;
      }
    }
    abax_stream* const stream = host_stream();
    require_success(c::gemm_batched_at("gemm_batch", stream, by_rows, s.trans_a, s.trans_b, group_size[g], s.m, s.n,
                                       s.k, alpha[g], from_a, s.lda, from_b, s.ldb, beta[g], c + first, s.ldc),
                    stream, "gemm_batch");
  }
};

}  // namespace abax::blas
