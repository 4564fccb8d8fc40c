// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target.hpp"

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>

#include "../c/start.hpp"
#include "../c/verbose.hpp"
#include "abax/abax.h"
#include "device.hpp"
#include "stream.hpp"

namespace abax::blas {
namespace {

bool device_opens() {
  abax_stream* stream = nullptr;
  const bool opens = abax_open(ABAX_DEVICE, nullptr, 0, &stream) == ABAX_SUCCESS;
  abax_close(stream);
  return opens;
}

}  // namespace

target target_of(const char* word, bool has_device) {
  const std::string wish = word == nullptr ? "" : word;
  if (wish == "host") return target::host;
  if (wish == "" || wish == "auto") return has_device ? target::automatic : target::host;
  if (wish != "device")
    throw std::runtime_error("ABAX_BLAS_BACKEND is \"" + wish + "\", expected auto, host or device");
  if (!has_device) throw std::runtime_error("ABAX_BLAS_BACKEND is \"device\", but this build or machine has none");
  return target::device;
}

double least_integer_terms(const char* word) {
  constexpr double none = std::numeric_limits<double>::max();
  if (word == nullptr || *word == '\0') return none;
  std::int64_t size = 0;
  const char* const end = word + std::strlen(word);
  const auto [rest, error] = std::from_chars(word, end, size);
  if (error != std::errc() || rest != end || size < 0)
    throw std::runtime_error("ABAX_BLAS_INTEGER is \"" + std::string(word) + "\", expected 0, 1 or a size");
  if (size == 0) return none;
  const auto terms = static_cast<double>(size);
  return terms * terms * terms;
}

double chosen_integer_terms() {
  static constinit std::atomic<double> known = -1;
  if (const double chosen = known.load(std::memory_order_relaxed); chosen >= 0) return chosen;
  try {
    const double chosen = least_integer_terms(std::getenv("ABAX_BLAS_INTEGER"));
    known.store(chosen, std::memory_order_relaxed);
    return chosen;
  } catch (const std::runtime_error& error) {
    end_program(error.what());
  }
}

// Threads that come at once all choose, and choose the same: nobody waits, so that a child that is forked meanwhile has
// nothing to wait for.
target chosen_target() {
  static constinit std::atomic<int> known = -1;
  if (const int chosen = known.load(std::memory_order_relaxed); chosen >= 0) return static_cast<target>(chosen);
  try {
    if (const std::string fault = c::verbosity_fault(); !fault.empty()) throw std::runtime_error(fault);
    const char* const word = std::getenv("ABAX_BLAS_BACKEND");
    const bool host_alone = word != nullptr && std::strcmp(word, "host") == 0;
    if (host_alone) c::renounce_device();  // no context, no memory of it
    const bool has_device =
        device::exists && !host_alone && (device_opens() || c::device_stayed_with_parent() || !c::is_loaded());
    const target chosen = target_of(word, has_device);
    if (c::is_loaded()) known.store(static_cast<int>(chosen), std::memory_order_relaxed);
    return chosen;
  } catch (const std::runtime_error& error) {
    end_program(error.what());
  }
}

}  // namespace abax::blas
