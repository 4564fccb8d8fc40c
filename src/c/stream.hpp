// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a stream of the C interface is.
#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>
#include <variant>

#include "abax/abax.h"
#include "abax/detail/backends/backend_for.hpp"
#include "abax/detail/launch/checks.hpp"

namespace abax::c {

#ifdef KOKKOS_ENABLE_OPENMP
using host = openmp::instance;  // which needs no Kokkos that runs
#else
using host = Kokkos::DefaultHostExecutionSpace;
#endif
using device = Kokkos::DefaultExecutionSpace;
inline constexpr bool has_device = !std::is_same_v<Kokkos::DefaultHostExecutionSpace, device>;

/// The execution spaces of this build: each once.
using space = std::conditional_t<has_device, std::variant<host, device>, std::variant<host>>;

}  // namespace abax::c

struct abax_stream {
  abax::c::space space;
  abax::launch::sharing memory;
  std::string message;
};
