// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of products by way of integers, beside other libraries' own gemm: a peer's time over Abax' is what the integers
// gain.
#include <abax/gemm_integer.hpp>

#include "workloads.hpp"

namespace abax::perf {
namespace {

template <class Exec, class T, char TransA, char TransB>
struct gemm_integer_kernel : gemm_kernel<Exec, T, TransA, TransB> {
  using base = gemm_kernel<Exec, T, TransA, TransB>;
  using base::base, base::e, base::alpha, base::beta, base::A, base::B, base::result, base::by_rows;

  void problem(int set) const = delete;  // its rows are not the product's
  void run(const Exec& exec, int set) const {
    abax::gemm_integer(exec, base::trans_a, base::trans_b, alpha, A.matrix(set, by_rows), B.matrix(set, by_rows), beta,
                       result.matrix(set, by_rows));
  }
  T expected(index_t i, index_t j) const {
    const T sum = canonical_integer_sum<T>(
        e.k, [&](index_t p) { return base::a_at(i, p); }, [&](index_t p) { return base::b_at(p, j); });
    return canonical_end<T>(alpha, sum, beta, base::c_at(i, j));
  }
};
template <class Exec, class T>
using gemm_integer_nn = gemm_integer_kernel<Exec, T, 'N', 'N'>;
template <class Exec, class T>
using gemm_integer_nt = gemm_integer_kernel<Exec, T, 'N', 'T'>;
template <class Exec, class T>
using gemm_integer_tn = gemm_integer_kernel<Exec, T, 'T', 'N'>;
template <class Exec, class T>
using gemm_integer_tt = gemm_integer_kernel<Exec, T, 'T', 'T'>;

constexpr extents cube(index_t n) { return {n, n, n}; }
constexpr extents nn_host[] = {cube(256), cube(512), cube(1024), cube(2048), cube(4096), {4096, 64, 4096}};
constexpr extents host[] = {cube(512), cube(1024), cube(2048)};
constexpr extents nn_device[] = {cube(1024), cube(2048),  cube(4096),         cube(4097),
                                 cube(8192), cube(16384), {16384, 64, 16384}, {16384, 16384, 64}};
constexpr extents device[] = {cube(1024), cube(4096), cube(8192)};

template <class T>
bool add_rows() {
  bool added = true;
  for (const kernel& k : {row<gemm_integer_nn, T>("gemm_integer NN", nn_host, nn_device),
                          row<gemm_integer_nt, T>("gemm_integer NT", host, device),
                          row<gemm_integer_tn, T>("gemm_integer TN", host, device),
                          row<gemm_integer_tt, T>("gemm_integer TT", host, device)})
    added = add_kernel(k) && added;
  return added;
}

[[maybe_unused]] const bool rows = add_rows<float>() && add_rows<double>();

}  // namespace
}  // namespace abax::perf
