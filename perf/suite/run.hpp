// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// `abax-perf run`: chosen kernels, checked, then timed beside other libraries.
#include <string>
#include <vector>

#include "peers/peers.hpp"

namespace abax::perf {

/// An empty list means all there are.
struct selection {
  std::vector<std::string> kernels;  ///< "gemm" stands for "gemm NN", "gemm NT", ...
  std::vector<std::string> types, backends, peers;
  std::vector<peer_file> peer_files;
  std::vector<index_t> sizes;                ///< square
  std::vector<std::vector<index_t>> shapes;  ///< as the table writes them
  int random = 0;                            ///< drawn shapes of each kernel and type, in the place of all others
  unsigned seed = 1;                         ///< of those
  double most_bytes = 1 << 30;               ///< of operands of one of those
  bool warm = false;        ///< one set of operands: a call finds in the caches what the call before it left there
  bool once = false;        ///< check, but do not time: each kernel and each peer runs once, for a profiler
  bool demo = false;        ///< the sizes of the classic examples, in the place of the kernels' own
  bool quick = false;       ///< leave out what takes long
  double seconds = 1;       ///< of timing for each variant of a case, at least
  int passes = 5;           ///< over all cases, which share `seconds`: operands are allocated anew in each
  double patience = 4;      ///< as many times that, until the medians are known to `precision`
  double precision = 0.02;  ///< half the width of their 95 % intervals
  double time_limit = 0;    ///< seconds: cases that would begin later are left out; 0: none are
  std::string json, csv;    ///< where the results go, too
  double slow = 0.05;       ///< a rank is slow where it takes longer than the others' median by more than this
  bool links = true;        ///< between ranks are measured, too
};

/// Whether the distributed product is among the kernels: no row of the table, but a case between ranks.
bool asks_pgemm(const selection& what);

/// Prints what `run` would run.
void list(const selection& what);

/// The same, and how long it would take.
void dry_run(const selection& what);

/// Prints a row for each case, then each peer's ratios in the mean, or, on several ranks, which of them are slow.
/// False if any result has other bits than the canon's, or a rank failed. Throws an interruption once what was
/// measured is kept.
bool run(const selection& what);

}  // namespace abax::perf
