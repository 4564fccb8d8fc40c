// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Memory for the length of a call, or an error that says how much was wanted.
#include <cstddef>
#include <new>
#include <string>

#include "abax/detail/tile/matrix.hpp"
#include "abax/error.hpp"

namespace abax::launch {

inline resource_error no_memory(const char* function, std::size_t bytes) {
  return resource_error(std::string(function) + ": no memory for " + std::to_string(bytes) + " bytes of workspace");
}

/// A backend's workspace of `bytes`, and `counters` arrival counters at zero.
template <class Backend, class Workspace = typename Backend::workspace>
Workspace make_workspace(const char* function, const typename Backend::instance& exec, std::size_t bytes,
                         index_t counters) {
  try {
    return Workspace(exec, bytes, counters);
  } catch (const std::bad_alloc&) {
    throw no_memory(function, bytes);
  }
}

}  // namespace abax::launch
