# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a tool sees of the suite's kernels: every one begins under a label of Abax' or of the suite's own.
# cmake -D PROGRAM=... -D FOLDER=... -D TOOL=... -P perf_labels.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/perf_program.cmake")

set(ENV{KOKKOS_TOOLS_LIBS} "${TOOL}")
perf(run --once --sizes 70 --allow-debug)
expect("everything runs" "code EQUAL 0")
string(REGEX MATCHALL "kernel: [^\n]*" kernels "${output}")
list(REMOVE_DUPLICATES kernels)
set(strange ${kernels})
list(FILTER strange EXCLUDE REGEX "^kernel: (abax::[a-z]|abax-perf::[a-z])")
expect("each has its label" "\"${strange}\" STREQUAL \"\"")
foreach(name IN ITEMS gemm gemv dot transpose copy triad increment)
  set(of_name ${kernels})
  list(FILTER of_name INCLUDE REGEX "^kernel: abax::${name}")
  expect("${name} is seen" "of_name")
endforeach()
