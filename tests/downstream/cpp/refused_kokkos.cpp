// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does not compile: another Kokkos' headers than the library's.
#include <Kokkos_Core.hpp>
#undef KOKKOS_VERSION
#define KOKKOS_VERSION 30700
#include <abax/abax.hpp>
// abax: these are not the headers of the Kokkos that Abax was built with
