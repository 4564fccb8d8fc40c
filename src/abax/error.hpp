// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What Abax throws.
#include <stdexcept>

namespace abax {

/// An argument cannot be used: the message names the function, the operand and both extents, or what was expected.
/// Thrown before anything is launched; nothing has been written.
class invalid_argument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The machine cannot run the call: a team's scratch is too small, or the problem needs more teams than it can count.
/// Thrown before anything is launched; nothing has been written. Where memory runs out, a call throws this or
/// std::bad_alloc, likewise before it writes; but a call that is several launches may have written by then, as its
/// comment says.
class resource_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A check that was asked for failed: the machine, or a library that it was left to, computed something wrong. What the
/// call writes may be partly written; the message says where the fault lies.
class verification_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace abax
