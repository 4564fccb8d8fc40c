// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// One call of the BLAS, the CBLAS or abax.h, compared with the reference: results bit by bit, every other byte as it
/// was, and for arguments that cannot be used the number or status that is documented.
#include <abax/abax.h>

#include <array>
#include <map>
#include <memory>
#include <string>

#include "choices.hpp"
#include "operands.hpp"

namespace abax::tests::fuzz {

/// How a function is called; those of abax.h need memory of the host's.
enum class face { fortran, fortran_64, cblas, cblas_64, native };

class caller {
 public:
  /// `native`: calls of abax.h, too. `tells`: prints each call before it is made.
  caller(bool native, bool tells);

  /// Makes the call that `choose` names. Answers with what was wrong, empty if nothing was.
  std::string call(choices& choose);

  /// Calls by kernel and type, those among them that had to be refused, and those by face.
  const std::map<std::string, long long>& by_kernel() const { return by_kernel_; }
  const std::map<std::string, long long>& by_face() const { return by_face_; }
  long long refused() const { return refused_; }

 private:
  struct closing {
    void operator()(abax_stream* stream) const { abax_close(stream); }
  };

  bool native_, tells_;
  double integer_terms_;
  std::unique_ptr<abax_stream, closing> stream_;
  std::array<room, 4> rooms_;
  std::map<std::string, long long> by_kernel_, by_face_;
  long long refused_ = 0;
};

}  // namespace abax::tests::fuzz
