// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// For which execution spaces and types a call can be made: those that the library is compiled for, and with
/// <abax/templates.hpp> every other. And whether Kokkos' headers are those of the Kokkos that the library holds.
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "abax/detail/kokkos_version.hpp"
#include "abax/detail/tile/complex_value.hpp"

namespace abax::launch {

static_assert(
    KOKKOS_VERSION == kokkos_version,
    "abax: these are not the headers of the Kokkos that Abax was built with (abax/detail/kokkos_version.hpp)");

/// The default host space, OpenMP where there is one, and CUDA.
template <class Exec>
inline constexpr bool has_library = std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool has_library<Kokkos::Cuda> = true;
#endif

/// Complete where <abax/templates.hpp> is included.
template <class Exec, class T>
struct templates;

template <class Exec, class T>
concept compiled = has_library<Exec> &&
    (std::is_same_v<tile::real_of<T>, float> || std::is_same_v<tile::real_of<T>, double>);
template <class Exec, class T>
concept available = compiled<Exec, T> || requires {
  sizeof(templates<Exec, T>);
};

}  // namespace abax::launch
