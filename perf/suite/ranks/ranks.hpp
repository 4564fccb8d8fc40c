// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// This process as one of several that MPI has started. The one source that includes mpi.h is ranks.cpp; without MPI,
/// and where no launcher is, there is one rank.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace abax::perf::ranks {

struct place {
  int rank = 0, size = 1;
  int local = -1;      ///< among the ranks of this node; -1 for a process of its own
  int neighbours = 1;  ///< ranks on this node, this one counted
  std::string host, mpi;
};
const place& self();

/// Starts MPI where a launcher has started this process as one of several, or where it is `needed`. Only rank 0 prints
/// on stdout from then on. Throws where this program's MPI is none, or is not the launcher's.
void start(bool needed);
/// Ends MPI; returns the status that this process is to end with: that of rank 0, so that a launcher need not complain
/// of each.
int end(int status);
[[noreturn]] void abort(int status);

// To be called by all ranks.
void together();  ///< none goes on before all are here
double sum(double of_mine);
double largest(double of_mine);
/// What each rank says, in the order of the ranks.
std::vector<std::string> gathered(const std::string& mine);

// Between two ranks.
void send(int to, const void* data, std::size_t bytes);
void receive(int from, void* data, std::size_t bytes);

/// A part of the work that some rank could not do: the same on all of them.
struct refused : std::runtime_error {
  refused(const std::string& what, int status) : std::runtime_error(what), status(status) {}
  int status;
};
/// Throws `refused` on all ranks if one has a `problem`; "" is none. The status is the highest.
void require_all(const std::string& problem, int status);

}  // namespace abax::perf::ranks
