# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests backends/kokkos_views.cmake, which Kokkos needs the legacy View and which one is refused, over a table:
# cmake -P kokkos_views.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../backends/kokkos_views.cmake")

# One row: Kokkos, the nvcc that compiled it or nothing, whether its Views are read wrongly unless they are legacy ones.
set(table
  "4.7.0  |12.8.93|OFF" "4.7.00 |12.9|ON"    "4.7.0  |12.9.41|ON"  "4.7.01 |12.9.86|ON" "4.7.0  |13.0.88|ON"
  "4.7.1  |13.0.88|ON"  "4.7.01 |13.1.1|ON"  "4.7.1  |11.8.89|OFF" "4.7.02 |13.0.88|OFF" "4.7.2 |12.9.41|OFF"
  "4.7.04 |13.0.88|OFF" "5.0.0  |13.0.88|OFF" "5.1.1 |13.1.1|OFF"  "4.7.0  ||OFF"        "5.0.0 ||OFF")

function(expect what got want)
  if(NOT "${got}" STREQUAL "${want}")
    message(SEND_ERROR "${what}: '${got}', expected '${want}'")
  endif()
endfunction()

set(Kokkos_FOUND ON) # as where a package was found
foreach(row IN LISTS table)
  string(REPLACE " " "" row "${row}")
  string(REGEX MATCH "^(.*)\\|(.*)\\|(.*)$" row "${row}")
  set(version "${CMAKE_MATCH_1}")
  set(nvcc "${CMAKE_MATCH_2}")
  set(wrong "${CMAKE_MATCH_3}")
  abax_needs_legacy_views(needed "${version}" "${nvcc}")
  expect("Kokkos ${version}, nvcc ${nvcc}: needs legacy Views" ${needed} ${wrong})

  set(Kokkos_VERSION "${version}")
  foreach(cuda IN ITEMS ON OFF)
    foreach(legacy IN ITEMS ON OFF "")
      # nvcc is known from Kokkos' package, or from CMake where it is a language of the project, or from both.
      foreach(from IN ITEMS package project both)
        set(Kokkos_ENABLE_CUDA ${cuda})
        set(Kokkos_ENABLE_IMPL_VIEW_LEGACY "${legacy}")
        set(Kokkos_CXX_COMPILER_ID GNU)
        set(Kokkos_CXX_COMPILER_VERSION 14.2.0)
        unset(CMAKE_CUDA_COMPILER_ID)
        unset(CMAKE_CUDA_COMPILER_VERSION)
        if(nvcc AND NOT from STREQUAL project)
          set(Kokkos_CXX_COMPILER_ID NVIDIA)
          set(Kokkos_CXX_COMPILER_VERSION ${nvcc})
        endif()
        if(nvcc AND NOT from STREQUAL package)
          set(CMAKE_CUDA_COMPILER_ID NVIDIA)
          set(CMAKE_CUDA_COMPILER_VERSION ${nvcc})
        endif()
        abax_nvcc_version(seen)
        set(case "Kokkos ${version}, CUDA ${cuda}, legacy '${legacy}', nvcc ${nvcc} from ${from}")
        expect("${case}: nvcc" "${seen}" "${nvcc}")
        abax_check_kokkos_views(problem "in /prefix")
        set(refused OFF)
        if(problem)
          set(refused ON)
          string(CONCAT sentence "^Kokkos ${version} in /prefix, compiled by nvcc ${nvcc}, .* "
                 "-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON$")
          if(NOT problem MATCHES "${sentence}")
            message(SEND_ERROR "${case}: the sentence is '${problem}'")
          endif()
        endif()
        set(want OFF)
        if(wrong AND cuda AND NOT legacy)
          set(want ON)
        endif()
        expect("${case}: refused" ${refused} ${want})
      endforeach()
    endforeach()
  endforeach()
endforeach()

# Compiled by two: the newer decides. Clang's CUDA is not nvcc's.
set(Kokkos_CXX_COMPILER_ID NVIDIA)
set(Kokkos_CXX_COMPILER_VERSION 12.8.93)
set(CMAKE_CUDA_COMPILER_ID NVIDIA)
set(CMAKE_CUDA_COMPILER_VERSION 13.0.88)
abax_nvcc_version(seen)
expect("Kokkos by nvcc 12.8, the project by 13.0" "${seen}" 13.0.88)
set(Kokkos_CXX_COMPILER_ID Clang)
set(Kokkos_CXX_COMPILER_VERSION 19.1.0)
set(CMAKE_CUDA_COMPILER_ID Clang)
set(CMAKE_CUDA_COMPILER_VERSION 19.1.0)
abax_nvcc_version(seen)
expect("CUDA by Clang" "${seen}" "")
