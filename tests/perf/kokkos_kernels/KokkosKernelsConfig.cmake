# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stand-in for Kokkos Kernels' package: what abax-perf asks of it, and nothing else.
include(CMakeFindDependencyMacro)
find_dependency(Kokkos)
if(NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  set_target_properties(Kokkos::kokkoskernels PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}"
                                                         INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
endif()
