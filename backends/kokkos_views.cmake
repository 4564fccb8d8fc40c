# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether device code reads the Views that kernels capture as the host wrote them. Kokkos before 4.7.02, compiled by
# nvcc 12.9 or later as C++20, lays a View out differently on the two sides: its mdspan uses [[no_unique_address]], of
# which nvcc's two compilers make different things (kokkos/mdspan#434 and #435, kokkos/kokkos#8562 and #8615). The
# legacy View does not use mdspan. This file is also installed, for AbaxConfig.cmake.
include_guard(GLOBAL)

# Sets `result` to whether a Kokkos of `version` that `nvcc` compiles needs the legacy View.
function(abax_needs_legacy_views result version nvcc)
  set(${result} OFF PARENT_SCOPE)
  if(nvcc AND version AND version VERSION_LESS 4.7.02 AND nvcc VERSION_GREATER_EQUAL 12.9)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to the version of nvcc behind the Kokkos at hand, or to nothing where nvcc does not compile it. Reads
# what CMake knows of the language CUDA and what Kokkos says of its compiler, which is nvcc's wrapper or nvcc itself.
function(abax_nvcc_version result)
  set(newest "")
  if(CMAKE_CUDA_COMPILER_ID STREQUAL NVIDIA)
    set(newest "${CMAKE_CUDA_COMPILER_VERSION}")
  endif()
  foreach(kokkos IN ITEMS Kokkos KOKKOS) # of a package, of a source
    if(${kokkos}_CXX_COMPILER_ID STREQUAL NVIDIA AND "${${kokkos}_CXX_COMPILER_VERSION}" VERSION_GREATER "${newest}")
      set(newest "${${kokkos}_CXX_COMPILER_VERSION}")
    endif()
  endforeach()
  set(${result} "${newest}" PARENT_SCOPE)
endfunction()

# Sets `problem` to nothing, or to a sentence: why the Kokkos of Kokkos::kokkos is refused. `where`: what to call it.
function(abax_check_kokkos_views problem where)
  set(${problem} "" PARENT_SCOPE)
  set(version "${Kokkos_VERSION}")
  set(legacy "${Kokkos_ENABLE_IMPL_VIEW_LEGACY}")
  set(cuda "${Kokkos_ENABLE_CUDA}")
  if(NOT Kokkos_FOUND) # its source is part of the project: its own folders know
    get_target_property(target Kokkos::kokkos ALIASED_TARGET)
    if(target)
      get_target_property(folder "${target}" SOURCE_DIR)
      get_directory_property(version DIRECTORY "${folder}" DEFINITION Kokkos_VERSION)
      get_directory_property(legacy DIRECTORY "${folder}" DEFINITION Kokkos_ENABLE_IMPL_VIEW_LEGACY)
      get_directory_property(cuda DIRECTORY "${folder}" DEFINITION Kokkos_ENABLE_CUDA)
    endif()
  endif()
  abax_nvcc_version(nvcc)
  abax_needs_legacy_views(needed "${version}" "${nvcc}")
  if(cuda AND needed AND NOT legacy)
    set(${problem} "Kokkos ${version} ${where}, compiled by nvcc ${nvcc}, lays out Views differently on the device \
than on the host: kernels that capture a View read and write wrong addresses. Take Kokkos 4.7.02 or later, or build \
this one with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON" PARENT_SCOPE)
  endif()
endfunction()
