// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Where calls through the BLAS run.
#include <atomic>

#include "abax/abax.h"

namespace abax::blas {

/// The calling thread's stream on the host. Ends the program, saying why, where there can be none.
abax_stream* host_stream();

/// Whether a thread has one: then the variables that choose have been read, and what they say can be had.
inline constinit std::atomic<bool> host_opened = false;

/// A BLAS has no way to report that a machine is out of memory: says what happened, for which it needs none, and ends
/// the program.
[[noreturn]] void end_program(const char* reason);
[[noreturn]] void end_program(const char* routine, const char* reason);
[[noreturn]] void end_program(abax_status status, const abax_stream* stream, const char* routine);

inline void require_success(abax_status status, const abax_stream* stream, const char* routine) {
  if (status != ABAX_SUCCESS) end_program(status, stream, routine);
}

}  // namespace abax::blas
