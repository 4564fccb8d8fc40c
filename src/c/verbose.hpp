// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// ABAX_VERBOSE=1: a line on stderr for each call of the C interface and the BLAS, and before them one that says whose
/// they are. A call within a call has no line of its own.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/launch/trace.hpp"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::c {

/// What the variable says.
enum class verbosity { not_read, silent, verbose, unknown_word };
inline constinit std::atomic<verbosity> verbosity_read = verbosity::not_read;

/// All that a call costs that nobody wants to hear of.
inline bool is_silent() { return verbosity_read.load(std::memory_order_relaxed) == verbosity::silent; }

/// What is wrong with the variable's word; empty if nothing is.
std::string verbosity_fault();

/// One line of text, without the memory that a program may have run out of: what does not fit is left out.
class line {
 public:
  void add(const char* text, std::size_t length);
  void add(const char* text);
  void add(char c) { add(&c, 1); }
  void add(std::int64_t number);
  void add(double number);
  /// "(re,im)"
  void add(double re, double im);
  /// "m=3,n=5,alpha=0.5" for ("m,n,alpha", 3, 5, 0.5)
  template <class... Values>
  void add_arguments(const char* names, const Values&... values) {
    (add_argument(names, values), ...);
  }
  /// To stderr, by one write(2): lines of several threads do not mix.
  void write();

 private:
  template <class Value>
  void add_argument(const char*& names, const Value& value) {
    add_name(names);
    if constexpr (std::is_floating_point_v<Value>)
      add(static_cast<double>(value));
    else if constexpr (tile::is_complex<Value>)
      add(static_cast<double>(value.re), static_cast<double>(value.im));
    else if constexpr (std::is_integral_v<Value> && sizeof(Value) > 1)
      add(static_cast<std::int64_t>(value));
    else
      add(value);
  }
  /// The next of `names`, which moves on, and '='.
  void add_name(const char*& names);

  char text_[1000];
  std::size_t length_ = 0;
};

/// Whether a call's time is all of it, or, on a device, ends when it has been launched.
enum class timing { of_all, of_launch };

/// A call that is told.
struct told_call : launch::trace {
  std::chrono::steady_clock::rep begin;
  bool on_device, staged;  ///< staged: operands were copied there or back
  const char* failure;     ///< null: it did what it should
};

/// False where there will be no line: nobody asked for it, or the call belongs to one that has one.
bool begin_telling(told_call& call);
/// Writes `text`, which has the routine and its arguments, and what became of the call.
void end_telling(told_call& call, timing timed, line& text);

/// The calling thread's call that is told, if there is one.
inline told_call* call_being_told() { return is_silent() ? nullptr : static_cast<told_call*>(launch::tracing); }

template <class Describe>
[[gnu::noinline]] void end_telling(told_call& call, const char* routine, timing timed, const Describe& describe) {
  portable::under_ieee([&] {  // numbers are written, and the caller's flags and traps are its own
    line text;
    text.add("ABAX_VERBOSE ");
    text.add(routine);
    text.add('(');
    describe(text);
    text.add(')');
    end_telling(call, timed, text);
  });
}

/// work(), which neither throws nor jumps; describe(line) adds the arguments of `routine`.
template <class Describe, class Work>
auto told(const char* routine, timing timed, const Describe& describe, const Work& work) {
  told_call call;
  const bool tells = !is_silent() && begin_telling(call);
  if constexpr (std::is_void_v<decltype(work())>) {
    work();
    if (tells) [[unlikely]]
      end_telling(call, routine, timed, describe);
  } else {
    const auto result = work();
    if (tells) [[unlikely]]
      end_telling(call, routine, timed, describe);
    return result;
  }
}

}  // namespace abax::c
