# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests abax-perf as its users run it: cmake -D PROGRAM=... -D FOLDER=... -P perf.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

# Runs the program with ARGN; sets code, output (both streams).
macro(perf)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
endmacro()
function(expect what condition)
  cmake_language(EVAL CODE "if(${condition})\nset(met ON)\nendif()")
  if(NOT met)
    message(SEND_ERROR "${what}: expected ${condition} (code ${code}, output:\n${output})")
  endif()
endfunction()

# A run of every kernel, small: its results are right, and the file holds them.
set(file "${FOLDER}/result.json")
perf(run --backend host --sizes 33 --warm --seconds 0.001 --json "${file}" --allow-debug)
expect("a run succeeds" "code EQUAL 0")
file(READ "${file}" text)
string(JSON schema GET "${text}" schema)
expect("the file says how it is written" "\"${schema}\" STREQUAL \"abax-perf 1\"")
string(JSON cases LENGTH "${text}" cases)
expect("there is a case for each kernel and type" "${cases} GREATER 15")
math(EXPR last "${cases} - 1")
foreach(c RANGE ${last})
  string(JSON bits GET "${text}" cases ${c} bits)
  string(JSON name GET "${text}" cases ${c} variants 0 name)
  string(JSON median GET "${text}" cases ${c} variants 0 median)
  string(JSON samples LENGTH "${text}" cases ${c} variants 0 samples)
  expect("case ${c} has the canon's bits" "\"${bits}\" STREQUAL same")
  expect("case ${c} was timed" "\"${name}\" STREQUAL abax AND ${median} GREATER 0 AND ${samples} GREATER_EQUAL 5")
endforeach()

# Selection.
perf(list --kernel gemm,dot --type f64 --shape 5x6x7,9)
expect("a first word stands for all of its kernels" "code EQUAL 0 AND output MATCHES \"gemm TT +f64 +5 x 6 x 7\"")
expect("each kernel takes the shapes of its form" "output MATCHES \"dot +f64 +9 \" AND NOT output MATCHES f32")

# For a profiler: everything once, checked, not timed.
perf(run --once --backend host --kernel gemm,dot --sizes 9 --allow-debug)
expect("a run without timing succeeds" "code EQUAL 0 AND output MATCHES \"gemm TT +f64 +9 x 9 x 9 +[A-Za-z]+ +same\"")
perf(run --once --json "${file}" --allow-debug)
expect("it has no figures to write" "code EQUAL 2")

# What cannot be done is said in one line, and nothing is written.
foreach(wrong IN ITEMS "--kernel;gem" "--shape;3xa" "--type;f16" "--library;mkl" "--library;mkl=/no/such/library"
                       "--sizes;0" "--json;${FOLDER}/no/such/folder/result.json")
  perf(run --kernel gemm --backend host --sizes 8 --seconds 0.001 --allow-debug ${wrong})
  expect("run ${wrong} is refused" "code EQUAL 2 AND output MATCHES \"gem|3xa|f16|mkl|MKL|sizes|result.json\"")
endforeach()
perf(runn)
expect("an unknown command is refused" "code EQUAL 2")
file(GLOB left "${FOLDER}/*")
expect("nothing but the result is left" "\"${left}\" STREQUAL \"${file}\"")
