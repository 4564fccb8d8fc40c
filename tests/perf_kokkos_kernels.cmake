# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests that a build finds Kokkos Kernels beside an installed Kokkos:
# cmake -D SOURCE=... -D PREFIX=... -D FOLDER=... -D GENERATOR=... -D COMPILER=... -P perf_kokkos_kernels.cmake
cmake_minimum_required(VERSION 3.25)
set(stand_in "${CMAKE_CURRENT_LIST_DIR}/perf/kokkos_kernels")
function(configure)
  execute_process(COMMAND "${CMAKE_COMMAND}" --fresh -S "${SOURCE}" -B "${FOLDER}" -G "${GENERATOR}" -DABAX_TESTS=OFF
                          -DABAX_BLAS=OFF "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DKokkos_ROOT=${PREFIX}" ${ARGN}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(code "${code}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

configure("-DKokkosKernels_ROOT=${stand_in}")
if(NOT code EQUAL 0 OR NOT output MATCHES "Kokkos Kernels 9.8.7: a peer of abax-perf")
  message(SEND_ERROR "Kokkos Kernels is not found:\n${output}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}" --target help OUTPUT_VARIABLE targets)
if(NOT targets MATCHES "kokkos_kernels")
  message(SEND_ERROR "it is not compiled:\n${targets}")
endif()
configure(-DCMAKE_DISABLE_FIND_PACKAGE_KokkosKernels=ON)
if(NOT code EQUAL 0 OR output MATCHES "Kokkos Kernels")
  message(SEND_ERROR "without it, the build is the same:\n${output}")
endif()
