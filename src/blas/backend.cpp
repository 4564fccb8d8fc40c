// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/backend.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "abax/abax.h"
#include "blas/device.hpp"
#include "blas/stream.hpp"
#include "c/start.hpp"

namespace abax::blas {
namespace {

bool device_opens() {
  abax_stream* stream = nullptr;
  const bool opens = abax_open(ABAX_DEVICE, nullptr, 0, &stream) == ABAX_SUCCESS;
  abax_close(stream);
  return opens;
}

}  // namespace

backend backend_of(const char* word, bool has_device) {
  const std::string wish = word == nullptr ? "" : word;
  if (wish == "host") return backend::host;
  if (wish == "" || wish == "auto") return has_device ? backend::automatic : backend::host;
  if (wish != "device")
    throw std::runtime_error("ABAX_BLAS_BACKEND is \"" + wish + "\", expected auto, host or device");
  if (!has_device) throw std::runtime_error("ABAX_BLAS_BACKEND is \"device\", but this build or machine has none");
  return backend::device;
}

backend chosen_backend() {
  static const backend chosen = [] {
    try {
      const char* const word = std::getenv("ABAX_BLAS_BACKEND");
      const bool host_alone = word != nullptr && std::strcmp(word, "host") == 0;
      if (host_alone) c::start_host();  // no context, no memory of a device
      return backend_of(word, !host_alone && device::exists && device_opens());
    } catch (const std::runtime_error& error) {
      end_program(error.what());
    }
  }();
  return chosen;
}

}  // namespace abax::blas
