// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/stream.hpp"

#include <cstdio>
#include <cstdlib>

namespace abax::blas {
namespace {

/// Opened at the thread's first call, closed when the thread ends.
class thread_stream {
 public:
  thread_stream() {
    const abax_status status = abax_open(ABAX_HOST, nullptr, ABAX_TRUST_OPERANDS, &stream_);
    if (status == ABAX_SUCCESS) return;
    std::fprintf(stderr, "abax_blas: cannot start: %s\n", abax_status_text(status));
    std::abort();
  }
  ~thread_stream() { abax_close(stream_); }
  thread_stream(const thread_stream&) = delete;

  abax_stream* get() const { return stream_; }

 private:
  abax_stream* stream_ = nullptr;
};

}  // namespace

abax_stream* host_stream() {
  static thread_local const thread_stream stream;
  return stream.get();
}

void require_success(abax_status status, const abax_stream* stream, const char* routine) {
  if (status == ABAX_SUCCESS) return;
  std::fprintf(stderr, "abax_blas: %s: %s: %s\n", routine, abax_status_text(status), abax_message(stream));
  std::abort();
}

}  // namespace abax::blas
