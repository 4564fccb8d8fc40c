// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// IEEE arithmetic on every worker, whatever mode its thread was left in.
#include <Kokkos_Macros.hpp>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace abax::openmp {

/// Round to nearest, subnormals kept, exceptions masked, for the lifetime of the object; then the thread's own mode
/// again. Loading a library built with fast-math sets flush-to-zero on the thread that loads it, so without this the
/// bits would depend on which thread computes them.
class gradual_underflow {
 public:
#if defined(__x86_64__)
  gradual_underflow() : before_(_mm_getcsr()) {
    if ((before_ & ~flags) != ieee) _mm_setcsr(ieee);
  }
  ~gradual_underflow() {
    if ((before_ & ~flags) != ieee) _mm_setcsr(before_);
  }
  gradual_underflow(const gradual_underflow&) = delete;

 private:
  static constexpr unsigned ieee = 0x1F80, flags = 0x3F;  // default mode; sticky exception flags
  unsigned before_;
#else
  gradual_underflow() {}
  ~gradual_underflow() {}
#endif
};

/// A functor of a team member run under that mode.
template <class Functor>
struct with_gradual_underflow {
  Functor functor;

  template <class Team>
  void operator()(const Team& team) const {
    const gradual_underflow mode;
    functor(team);
  }
};

}  // namespace abax::openmp
