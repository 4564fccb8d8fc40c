// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// ScaLAPACK's distributed product of matrices over Abax' products on each rank, and over another BLAS': one engine,
/// whose calls of dgemm_ and sgemm_ end in the one or the other, call of it by call. ScaLAPACK, libabax_blas and the
/// other are loaded when they are asked for.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../results.hpp"
#include "../run.hpp"

namespace abax::perf::ranks {

struct product_order {
  bool wide;  ///< double
  int m, n, k;
  double seconds;  ///< for each variant, at least

  double operations() const { return 2.0 * m * n * k; }
};

/// Those that are asked for. Throws where one cannot be: nothing is measured where a later product is going to fail.
std::vector<product_order> products_of(const selection& what);

struct product_answer {
  std::string missing;  ///< why there is none
  case_result result;   ///< without what follows from the samples, and its roof's rate
  std::vector<std::pair<std::string, std::string>> notes;  ///< for the context: engine and libraries
};

/// To be called by all ranks. goes_on() is asked before each round but the first whether there is time for another; all
/// ranks get the same answer.
product_answer measure_product(const product_order& order, const std::function<bool(double seconds)>& goes_on);

}  // namespace abax::perf::ranks
