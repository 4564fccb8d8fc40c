// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// This process as one part of a run on several ranks: abax-perf-mpi starts a worker for each of them, which measures,
/// and one gatherer, which says what comes next. docs/clusters.md tells who does what.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/channel.hpp"
#include "results.hpp"

namespace abax::perf {

enum class part { whole, worker, gatherer };

/// From the environment that abax-perf-mpi gave this process.
part part_of_this_process();
int local_rank();  ///< among the ranks of this node; -1 for a process of its own
int neighbours();  ///< ranks on this node, this one counted

/// How many ranks a launcher has started this process as one of; 1 where there is no launcher.
int launched_ranks();

/// Becomes abax-perf-mpi, which lies beside this program, with the same arguments. Throws where there is none.
[[noreturn]] void become_rank(char** argv);

/// A worker's line to its rank, and so to the gatherer.
class worker_line {
 public:
  /// From now on this process ends with its rank, leaves signals to it, and prints nothing on stdout.
  worker_line();

  /// Waits until all ranks have come so far.
  void together();
  /// What this rank runs on, its host's operations a second in float and double (0: not measured) and free bytes of
  /// memory (0: not known), and the steps that it would take: a case each, with the seconds expected.
  void present(const std::vector<std::pair<std::string, std::string>>& context, double fma_f32, double fma_f64,
               double free_memory, const std::vector<std::pair<std::string, double>>& steps);
  /// Before each step: is it to be taken?
  bool step();
  void done(const case_result& c);
  void failed(const std::string& why);
  /// In the place of everything else.
  void refuse(const std::string& why, int status);
  /// After the last step: takes part in what is measured between GPUs, until the end.
  void serve(bool has_gpu);

 private:
  std::string order();
  channel line_;
};

}  // namespace abax::perf
