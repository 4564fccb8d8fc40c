// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Calls whose nth request for memory or for a thread is refused, for n = 1, 2, ... until none is: each in a child of a
/// process that has not called the library, so that a call which ends its program ends a child.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "shim.hpp"

namespace abax::tests::faults {

/// A call of `a` and `b`, which it reads, and of `c`, which it writes: so many doubles each, whatever they are to it.
struct trial {
  std::string name;
  std::size_t a, b, c;
  std::function<bool(const double* a, const double* b, double* c)> call;  ///< false where it says that it failed
  /// Whether a call that failed may leave c so: what it was, is, and would be. None: c is as it was.
  std::function<bool(const double* was, const double* is, const double* would_be)> may_leave = nullptr;
  /// Blocks that the threads of a call keep, or not: one that others leave no work keeps none.
  long kept_by_chance = 0;
};

/// What a batch of c's doubles, `size` to an item, may leave: items that are computed and items that are not. Threads
/// that find no item left keep no memory.
void side_by_side(trial& batch, std::size_t size);
/// For may_leave: `count` parts of so many doubles, each what it was or would be.
std::function<bool(const double* was, const double* is, const double* would_be)> whole_items(std::size_t count,
                                                                                             std::size_t size);

/// How a program calls.
struct caller {
  std::function<void()> begin = [] {}, end = [] {};  ///< round all calls of a child
  bool may_end_program = false;                      ///< the library ends the program where it says why
  const char* message = "";                          ///< and so begins what it says then
  std::vector<resource> resources = {resource::memory, resource::threads};  ///< that are refused
};

/// Runs them all and prints how they ended. False where one did what it must not: ended by a signal or in silence,
/// threw past its interface, wrote round an operand or into one that it reads, wrote and failed, kept memory, or had
/// other bits, or the call after it.
bool run(const std::vector<trial>& trials, const caller& caller);

}  // namespace abax::tests::faults
