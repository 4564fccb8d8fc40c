// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// A product of numbers on the host, computed on a backend in one way or another, for sources that know no Kokkos.
#include <memory>
#include <vector>

#include "../peers/peers.hpp"

namespace abax::perf::accuracy {

/// C = A B with A: m x k and B: k x n, all of them column after column.
template <class T>
class products {
 public:
  virtual ~products() = default;
  virtual std::vector<T> gemm() = 0;
  virtual std::vector<T> gemm_integer(int bits) = 0;
  /// Empty where the peer has no such routine.
  virtual std::vector<T> gemm_of(const peer& other) = 0;
};

/// Of float and double.
template <class T>
std::unique_ptr<products<T>> place(backend where, index_t m, index_t n, index_t k, const std::vector<T>& a,
                                   const std::vector<T>& b);

}  // namespace abax::perf::accuracy
