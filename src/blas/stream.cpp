// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "target.hpp"

namespace abax::blas {
namespace {

// The calling thread's. A plain pointer, so that it can be read when the thread's other variables are gone: a BLAS may
// be called while the program ends.
thread_local abax_stream* opened = nullptr;

struct closing {
  ~closing() { abax_close(std::exchange(opened, nullptr)); }
};

// Apart from what every call passes through.
[[gnu::noinline]] abax_stream* open_host_stream() {
  chosen_target();  // a wrong word is an error in every build
  const abax_status status = abax_open(ABAX_HOST, nullptr, ABAX_TRUST_OPERANDS, &opened);
  if (status != ABAX_SUCCESS) end_program("cannot start", abax_status_text(status));
  host_opened.store(true, std::memory_order_relaxed);
  static thread_local const closing at_the_end_of_the_thread;
  return opened;
}

}  // namespace

abax_stream* host_stream() { return opened != nullptr ? opened : open_host_stream(); }

void end_program(const char* reason) {
  std::fprintf(stderr, "abax_blas: %s\n", reason);
  std::abort();
}

void end_program(const char* routine, const char* reason) {
  std::fprintf(stderr, "abax_blas: %s: %s\n", routine, reason);
  std::abort();
}

void end_program(abax_status status, const abax_stream* stream, const char* routine) {
  std::fprintf(stderr, "abax_blas: %s: %s: %s\n", routine, abax_status_text(status), abax_message(stream));
  std::abort();
}

}  // namespace abax::blas
