// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What libabax_blas.so sees of the environment: the linker leads each getenv() within it here. The Kokkos that it
/// holds listens to no variable of Kokkos', which a user means for another one.
#include <cstring>

extern "C" {

char* __real_getenv(const char* name);  // NOLINT: the linker's names

char* __wrap_getenv(const char* name);
char* __wrap_getenv(const char* name) { return std::strncmp(name, "KOKKOS_", 7) == 0 ? nullptr : __real_getenv(name); }

}  // extern "C"
