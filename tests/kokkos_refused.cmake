# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A Kokkos whose Views device code reads wrongly is refused, by Abax' own configure and by find_package(Abax):
# cmake -D PART=source|package -D KOKKOS=its source -D RIGHT=the build's own -D SOURCE=Abax -D PREFIX=where it is
#       installed -D FOLDER=... -D GENERATOR=... -D OPTIONS=compilers and architecture -P kokkos_refused.cmake
# PART=source makes the Kokkos that both parts try. It is configured only: its package is there before it is built.
cmake_minimum_required(VERSION 3.25)
set(wrong "${FOLDER}/kokkos/cmake_packages/Kokkos")

function(run_configure status_variable output_variable source build)
  execute_process(COMMAND "${CMAKE_COMMAND}" --fresh -S "${source}" -B "${FOLDER}/${build}" -G "${GENERATOR}"
                          ${OPTIONS} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " text "${output}") # CMake breaks a message's lines
  set(${status_variable} "${status}" PARENT_SCOPE)
  set(${output_variable} "${text}" PARENT_SCOPE)
endfunction()
function(expect_refusal what status output)
  foreach(words IN ITEMS "in ${wrong}, compiled by nvcc " "lays out Views differently on the device than on the host"
                         "Take Kokkos 4.7.02 or later, or build this one with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON")
    string(FIND "${output}" "${words}" at)
    if(status EQUAL 0 OR at EQUAL -1)
      message(FATAL_ERROR "${what} was not refused with the words '${words}', but ended with ${status}: ${output}")
    endif()
  endforeach()
endfunction()
function(expect_success what status output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} ended with ${status}: ${output}")
  endif()
endfunction()

if(PART STREQUAL source)
  run_configure(status output "${KOKKOS}" kokkos -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON
                -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_IMPL_VIEW_LEGACY=OFF)
  expect_success("Kokkos' own configure" ${status} "${output}")
  set(abax -DABAX_TESTS=OFF -DABAX_PERF=OFF)
  run_configure(status output "${SOURCE}" abax ${abax} "-DKokkos_DIR=${wrong}")
  expect_refusal("Abax with a wrong Kokkos" ${status} "${output}")
  run_configure(status output "${SOURCE}" abax ${abax} "-DKokkos_DIR=${RIGHT}")
  expect_success("Abax with the same Kokkos and legacy Views" ${status} "${output}")
else()
  file(WRITE "${FOLDER}/user/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX CUDA)
find_package(Abax 0.1 CONFIG \${how})
if(Abax_FOUND OR TARGET Abax::core)
  message(STATUS \"went on with Abax\")
else()
  message(FATAL_ERROR \"went on without Abax\")
endif()
")
  foreach(how IN ITEMS "" REQUIRED)
    set(user "-DCMAKE_PREFIX_PATH=${PREFIX}" -Dhow=${how})
    run_configure(status output "${FOLDER}/user" user.build ${user} "-DKokkos_DIR=${wrong}")
    expect_refusal("find_package(Abax ${how}) with a wrong Kokkos" ${status} "${output}")
    string(FIND "${output}" "went on without Abax" went_on)
    if(how STREQUAL "" AND went_on EQUAL -1)
      message(FATAL_ERROR "find_package(Abax) without REQUIRED left no choice: ${output}")
    endif()
    run_configure(status output "${FOLDER}/user" user.build ${user})
    expect_success("find_package(Abax ${how}) with its own Kokkos and legacy Views" ${status} "${output}")
  endforeach()
endif()
