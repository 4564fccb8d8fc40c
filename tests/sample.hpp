// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What of a test's many cases runs where a sanitizer watches every access, which takes many times as long.
#include <cstdint>

namespace abax::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool under_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif
#else
inline constexpr bool under_sanitizer = false;
#endif

/// One in `share` of the cases that pass by, or, where no sanitizer watches, each of them. The share is a prime that is
/// no period of what the cases vary, so that all of their choices come by.
class sample {
 public:
  constexpr explicit sample(std::uint64_t share) : share_(share) {}
  constexpr bool takes() { return !under_sanitizer || passed_++ % share_ == 0; }

 private:
  std::uint64_t share_, passed_ = 0;
};

/// `all`, or where a sanitizer watches `fewer`.
template <class T>
constexpr T unless_watched(T all, T fewer) {
  return under_sanitizer ? fewer : all;
}

}  // namespace abax::tests
