// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// ScaLAPACK's distributed product of matrices over Abax' products on each rank, and over another BLAS': one engine,
/// whose calls of dgemm_ and sgemm_ end in the one or the other, call of it by call. ScaLAPACK, libabax_blas and the
/// other are loaded when they are asked for.
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

  /// To be called by all ranks with the same order: "f64 M N K SECONDS". The answers are lines: of rank 0 "missing WHY",
  /// or "engine TEXT" and "variant NAME|VERSION|BITS|CALLS| S1 S2 ..." for each; then of every rank "end".
  std::vector<std::string> answer(const std::string& order) const;

 private:
  std::string abax_perf_;
};

}  // namespace abax::perf
