// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of products that end in a functor, beside those of the products alone: in a source of their own, whose kernels
// take as long to compile as all other rows.
#include <abax/epilogue.hpp>

#include "workloads.hpp"

namespace abax::perf {
namespace {

/// C <- max(A B + a bias for each column, 0).
template <class Exec, class T>
struct gemm_relu : gemm_nn<Exec, T> {
  using base = gemm_nn<Exec, T>;
  using base::base, base::e, base::alpha, base::beta, base::A, base::B, base::result, base::by_rows;
  static constexpr bool scaled = false;
  operand<Exec, T> bias = this->in(4, {e.n, 1});

  static std::vector<lines> operands(const extents&) { return {}; }
  void problem(int set) const = delete;  // its rows are not the product's
  void run(const Exec& exec, int set) const {
    abax::gemm(exec, "N", "N", alpha, A.matrix(set, by_rows), B.matrix(set, by_rows), beta, result.matrix(set, by_rows),
               epilogue::then(epilogue::column_bias(bias.vector(set)), epilogue::relu()));
  }
  bool ask(const routines<T>&, int, const operand<Exec, T>&) const { return false; }
  T expected(index_t i, index_t j) const {
    const T value = base::expected(i, j) + input<T>(4, j);
    return value < T(0) ? T(0) : value;
  }
};

constexpr extents shapes_host[] = {{1024, 1024, 1024}, {4096, 4096, 4096}};
constexpr extents shapes_device[] = {{1024, 1024, 1024}, {4096, 4096, 4096}, {16384, 16384, 64}};

[[maybe_unused]] const bool rows = add_kernel(row<gemm_relu, float>("gemm+ReLU NN", shapes_host, shapes_device)) &&
                                   add_kernel(row<gemm_relu, double>("gemm+ReLU NN", shapes_host, shapes_device));

}  // namespace
}  // namespace abax::perf
