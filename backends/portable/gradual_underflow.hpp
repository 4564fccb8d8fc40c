// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// IEEE arithmetic on every CPU worker, whatever mode its thread was left in.
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace abax::portable {

/// Round to nearest, subnormals kept, exceptions masked, for the lifetime of the object; then the thread's own mode
/// again, with the flags of exceptions that it had: what tiles hold beyond an operand's edge raises flags of no
/// meaning, and those of other threads would never arrive. Loading a library built with fast-math sets flush-to-zero on
/// the thread that loads it, so without this the bits would depend on which thread computes them.
class gradual_underflow {
 public:
  gradual_underflow() : before_(mode()) {
    if (different()) set_mode(ieee);
    keep_order();
  }
  ~gradual_underflow() {
    keep_order();
    set_mode(before_);  // to ask first takes longer
  }
  gradual_underflow(const gradual_underflow&) = delete;

 private:
#if defined(__x86_64__)
  using word = unsigned;  // MXCSR
  static constexpr word ieee = 0x1F80, sticky_flags = 0x3F;
  static word mode() { return _mm_getcsr(); }
  static void set_mode(word m) { _mm_setcsr(m); }
#elif defined(__aarch64__)
  using word = std::uint64_t;  // FPCR in the lower half, FPSR, which holds the flags, in the upper
  static constexpr word ieee = 0, sticky_flags = ~word(0) << 32;
  static word mode() {
    word control, status;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    asm volatile("mrs %0, fpsr" : "=r"(status));
    return (control & ~sticky_flags) | status << 32;
  }
  static void set_mode(word m) {
    asm volatile("msr fpcr, %0" ::"r"(m & ~sticky_flags));
    asm volatile("msr fpsr, %0" ::"r"(m >> 32));
  }
#else
  using word = unsigned;  // a CPU whose mode nobody here knows how to set
  static constexpr word ieee = 0, sticky_flags = 0;
  static word mode() { return ieee; }
  static void set_mode(word) {}
#endif
  bool different() const { return (before_ & ~sticky_flags) != ieee; }
  static void keep_order() { asm volatile("" ::: "memory"); }  // no load, and so no arithmetic on it, moves past here

  word before_;
};

/// work() under that mode, from its first operation to its result: a compiler would be free to move arithmetic on what
/// registers hold out of it.
template <class Work>
auto under_ieee(const Work& work) {
  const gradual_underflow mode;
  const Work* begun = &work;
  asm volatile("" : "+r"(begun) : : "memory");
  if constexpr (std::is_void_v<decltype(work())>) {
    (*begun)();
  } else {
    const auto result = (*begun)();
    asm volatile("" : : "m"(result) : "memory");
    return result;
  }
}

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

}  // namespace abax::portable
