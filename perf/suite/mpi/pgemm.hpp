// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// ScaLAPACK's distributed product of matrices over Abax' products on each rank, and over another BLAS': one engine,
/// whose calls of dgemm_ and sgemm_ end in the one or the other, call of it by call. ScaLAPACK, libabax_blas and the
/// other are loaded when they are asked for.
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace abax::perf {

class pgemm {
 public:
  static constexpr int block = 64;  ///< rows and columns, dealt out to a grid of ranks
  /// As square a grid as there is.
  static constexpr int grid_rows(int ranks) {
    int rows = 1;
    for (int p = 2; p * p <= ranks; ++p)
      if (ranks % p == 0) rows = p;
    return rows;
  }

  /// `abax_perf`: that program's path, from which libabax_blas is looked for.
  explicit pgemm(std::string abax_perf) : abax_perf_(std::move(abax_perf)) {}

  using teller = std::function<void(const std::string& line)>;
  /// To be called by all ranks with the same order: "f64 M N K SECONDS LIMIT" (no new round begins after LIMIT seconds; 0:
  /// none). Rank 0 tells, as it comes: "missing WHY", or "engine TEXT", "variant NAME|VERSION|BITS|CALLS" for each, and
  /// "sample VARIANT SECONDS" for each product.
  void answer(const std::string& order, const teller& tell) const;

 private:
  std::string abax_perf_;
};

}  // namespace abax::perf
