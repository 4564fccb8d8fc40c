// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Calls of the BLAS on a device, with operands in anybody's memory. A build without CUDA has none of this.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>

#include "abax/abax.h"

namespace abax::blas::device {

/// Whether this build has any: only then is the rest of this header defined.
inline constexpr bool exists = ABAX_BLAS_CUDA != 0;

/// An operand's memory: where it begins, and how much memory a copy of it takes.
struct memory_range {
  const void* data;
  std::size_t bytes;
};
/// What of it a routine needs: it is brought where it is read, and taken back where it is written.
enum class access { read, write, update };

/// A call's turn on the device. Operands of its memory stay where they are, others are copied there and back. Whatever
/// fails ends the program, saying why.
class session {
 public:
  /// None where the call belongs on the host: no operand lies in a device's memory and nobody wants it there, or there
  /// is no room for copies.
  static std::unique_ptr<session> begin(const char* routine, std::initializer_list<memory_range> operands);
  ~session();

  abax_stream* stream() const;
  /// True where the device works on `data` itself.
  bool is_here(const void* data) const;
  /// A copy of `count` lines of `length` bytes, `pitch` bytes apart, which lie side by side there.
  void* copy(const void* data, std::size_t length, std::size_t count, std::size_t pitch, access needed);
  /// Waits for the device; then results are where the caller looks for them.
  void finish();

 private:
  struct state;
  explicit session(std::unique_ptr<state> mine);
  std::unique_ptr<state> state_;
};

/// visit(copy) with a copy on the host of `count` elements of `length` bytes, `pitch` bytes apart, which is then taken
/// back; false, without a visit, where they lie in memory of the host.
bool visit_on_host(void* data, std::size_t length, std::size_t count, std::size_t pitch,
                   const std::function<void(void*)>& visit);

/// gemm_by_columns; arguments are checked and not all is done by a quick return. False where the call belongs on the
/// host, which has to do all of it then. Large products are cut into blocks, and blocks of one are computed while
/// others come and go.
template <class T>
bool gemm(bool turned, char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
          std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc);

}  // namespace abax::blas::device
