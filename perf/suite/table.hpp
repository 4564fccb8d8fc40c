// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Numbers as texts, and the line that says what is being worked on.
#include <unistd.h>

#include <cstdio>
#include <string>

namespace abax::perf {

inline std::string number(double value, int digits, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
  return text;
}
inline std::string time_text(double seconds) {
  if (seconds < 1e-6) return number(seconds * 1e9, 1, "ns");
  if (seconds < 1e-3) return number(seconds * 1e6, 1, "us");
  if (seconds < 1) return number(seconds * 1e3, 2, "ms");
  return number(seconds, 2, "s ");
}
/// Three digits or more: 4.52, 31.9, 4023.
inline std::string rate_text(double per_second, const char* unit) {
  const double giga = per_second * 1e-9;
  return number(giga, giga < 10 ? 2 : giga < 100 ? 1 : 0, unit);
}
inline std::string bytes_text(double bytes) {
  constexpr double kibi = 1024;
  if (bytes < kibi * kibi) return number(bytes / kibi, 0, "KiB");
  if (bytes < kibi * kibi * kibi) return number(bytes / (kibi * kibi), 0, "MiB");
  return number(bytes / (kibi * kibi * kibi), 1, "GiB");
}
/// As long as anybody plans for: "40 s", "12 min", "2.5 h".
inline std::string duration_text(double seconds) {
  if (seconds < 90) return number(seconds, 0, "s");
  if (seconds < 5400) return number(seconds / 60, 0, "min");
  return number(seconds / 3600, 1, "h");
}

/// One line on a terminal, overwritten as the work goes on; nothing at all where stderr is a file.
class progress {
 public:
  explicit progress(int steps) : steps_(steps) {}
  ~progress() { clear(); }

  void step(const std::string& what) {
    ++step_;
    if (!shown_) return;
    std::fprintf(stderr, "\r\033[K[%d/%d] %s", step_, steps_, what.c_str());
    std::fflush(stderr);
  }
  void clear() const {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  bool shown_ = isatty(STDERR_FILENO) == 1;
  int steps_, step_ = 0;
};

}  // namespace abax::perf
