// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verbose.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include "abax/version.h"
#include "start.hpp"
#include "stream.hpp"

namespace abax::c {
namespace {

verbosity verbosity_of(const char* word) {
  const std::string wish = word == nullptr ? "" : word;
  if (wish == "" || wish == "0") return verbosity::silent;
  return wish == "1" ? verbosity::verbose : verbosity::unknown_word;
}

/// Threads that come at once all read, and read the same.
verbosity wanted() {
  verbosity now = verbosity_read;
  if (now == verbosity::not_read) {
    now = verbosity_of(std::getenv("ABAX_VERBOSE"));
    if (now == verbosity::verbose) launch::any_traced = true;
    verbosity_read = now;
  }
  return now;
}

int host_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  return host().threads();
#else
  return host().concurrency();
#endif
}

const char* host_name() {
#ifdef KOKKOS_ENABLE_OPENMP
  return openmp::kernels<double>().name;
#else
  return host::name();
#endif
}

/// Whose lines these are, before the first of them. A thread that comes meanwhile waits, but not for ever: in a child
/// that was forked meanwhile nobody writes.
void tell_library() {
  enum { not_told, being_told, is_told };
  static constinit std::atomic<int> state = not_told;
  int before = state;
  if (before != not_told || !state.compare_exchange_strong(before, being_told)) {
    for (int turn = 0; turn < 10000 && state != is_told; ++turn) std::this_thread::yield();
    return;
  }
  line to;
  constexpr std::int64_t version = ABAX_VERSION;
  to.add("ABAX_VERBOSE Abax ");
  to.add(version / 10000);
  to.add('.');
  to.add(version / 100 % 100);
  to.add('.');
  to.add(version % 100);
  to.add(", canon ");
  to.add(std::int64_t{ABAX_CANON_VERSION});
  try {
    const char* const name = host_name();
    to.add("; host ");
    to.add(name);
  } catch (const std::exception&) {  // calls of the host say what is wrong
  }
  if (device_runs()) {
    to.add("; device ");
    to.add(std::int64_t{device_ordinal()});
    to.add(' ');
    to.add(device_name());
  }
  to.add('\n');
  to.write();
  state = is_told;
}

}  // namespace

std::string verbosity_fault() {
  if (wanted() != verbosity::unknown_word) return "";
  const char* const word = std::getenv("ABAX_VERBOSE");
  return "ABAX_VERBOSE is \"" + std::string(word == nullptr ? "" : word) + "\", expected 0 or 1";
}

void line::add(const char* text, std::size_t length) {
  const std::size_t fits = std::min(length, sizeof text_ - length_);
  std::memcpy(text_ + length_, text, fits);
  length_ += fits;
}
void line::add(const char* text) { add(text, std::strlen(text)); }
void line::add(std::int64_t number) {
  char digits[32];
  add(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits));
}
void line::add(double number) {
  char digits[32];  // with a point in every locale
  const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, 6).ptr;
  add(digits, static_cast<std::size_t>(end - digits));
}
void line::add(double re, double im) {
  add('(');
  add(re);
  add(',');
  add(im);
  add(')');
}
void line::add_name(const char*& names) {
  const std::size_t length = std::strcspn(names, ",");
  if (length_ != 0 && text_[length_ - 1] != '(') add(',');
  add(names, length);
  add('=');
  names += length + (names[length] == ',');
}
void line::write() {
  if (length_ == sizeof text_) text_[length_ - 1] = '\n';
  for (std::size_t done = 0; done < length_;) {
    const ssize_t written = ::write(STDERR_FILENO, text_ + done, length_ - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens any more
    done += static_cast<std::size_t>(written);
  }
}

bool begin_telling(told_call& call) {
  if (wanted() != verbosity::verbose || launch::tracing != nullptr) return false;
  call = {};
  launch::tracing = &call;
  call.begin = std::chrono::steady_clock::now().time_since_epoch().count();
  return true;
}

void end_telling(told_call& call, timing timed, line& text) {
  using clock = std::chrono::steady_clock;
  const std::chrono::duration<double, std::micro> passed =
      clock::now().time_since_epoch() - clock::duration(call.begin);
  launch::tracing = nullptr;
  if (call.on_device) {
    text.add(" device=");
    text.add(std::int64_t{device_ordinal()});
    if (call.staged) text.add(" staged");
  } else {
    text.add(" host threads=");
    text.add(std::int64_t{call.most_teams > 1 ? host_threads() : 1});
  }
  text.add(" row=\"");
  for (int row = 0; row < std::min(call.row_count, launch::trace::most_rows); ++row) {
    if (row != 0) text.add('+');
    text.add(call.rows[row]);
  }
  if (call.row_count > launch::trace::most_rows) text.add("+...");
  text.add('"');
  if (call.failure != nullptr) {
    text.add(" failed=\"");
    text.add(call.failure);
    text.add('"');
  }
  text.add(call.on_device && timed == timing::of_launch ? " launch_us=" : " us=");
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, passed.count(), std::chars_format::fixed, 3).ptr;
  text.add(digits, static_cast<std::size_t>(end - digits));
  text.add('\n');
  tell_library();
  text.write();
}

}  // namespace abax::c
