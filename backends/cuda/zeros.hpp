// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// C <- +0, of a product without terms or with alpha = 0 and beta = 0: the runtime's own fill.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/launch.hpp"
#include "abax/detail/tile/product.hpp"

namespace abax::cuda {

/// Serves outputs whose columns are whole, lie along memory and are long enough that a fill by columns is quick.
template <class T>
struct zeros {
  static constexpr const char* name = "zeros";

  static bool serves(const tile::product<T>& problem) {
    constexpr index_t least = 128 / sizeof(T), most = (index_t(1) << 31) / sizeof(T);
    const tile::output<T>& c = problem.c;
    return tile::is_zero(problem.epilogue.beta) && c.part == tile::triangle::whole && c.row_stride == 1 &&
           (is_one_run(c) || (c.rows >= least && c.col_stride >= c.rows && c.col_stride < most));
  }

  static void run(const char* label, const Kokkos::Cuda& exec, const tile::product<T>& problem) {
    const device_of current(exec);
    const reported_launch event(label, exec);
    const tile::output<T>& c = problem.c;
    const std::size_t column = sizeof(T) * c.rows;
    if (is_one_run(c))
      check(cudaMemsetAsync(c.data, 0, column * c.cols, exec.cuda_stream()), label);
    else
      check(cudaMemset2DAsync(c.data, sizeof(T) * c.col_stride, 0, column, c.cols, exec.cuda_stream()), label);
  }

 private:
  static bool is_one_run(const tile::output<T>& c) { return c.cols == 1 || c.col_stride == c.rows; }
};

}  // namespace abax::cuda
