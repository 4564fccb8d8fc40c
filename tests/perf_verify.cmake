# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests abax-perf verify: cmake -D PROGRAM=... -D TOOL=... -D GOLDEN=... -D TABLE=... -D FOLDER=... -P
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/perf_program.cmake")

# The table alone.
set(file "${FOLDER}/report.json")
perf(verify --json "${file}")
if(code EQUAL 77)
  message("needs a GPU")
  return()
endif()
expect("all bits are right" "code EQUAL 0 AND output MATCHES \"All have the canon's bits\"")
file(STRINGS "${TABLE}" lines REGEX "^[a-z]")
list(LENGTH lines calls)
expect("all of the table was run" "output MATCHES \"\\n${calls} golden calls in [0-9]+ runs\\.\"")
file(READ "${file}" text)
string(JSON status GET "${text}" status)
string(JSON differences GET "${text}" differences)
string(JSON in_file GET "${text}" table calls)
string(JSON host GET "${text}" ranks 0 place context Host)
expect("the report says so" "status STREQUAL complete AND differences EQUAL 0 AND in_file EQUAL calls AND host")
perf(verify --kernel gemv,iamax --type c64)
expect("a part of it can be chosen" "code EQUAL 0 AND output MATCHES \"iamax +11 +44 \" AND NOT output MATCHES gemm")

# A wrong bit of one copy of a result, found and named; the other layouts have the right one.
set(ENV{KOKKOS_TOOLS_LIBS} "${TOOL}")
set(ENV{ABAX_TEST_FLIP} 21)
perf(verify --kernel transpose --type f64 --json "${file}")
expect("a wrong bit is found" "code EQUAL 1 AND output MATCHES \"\\n1 comparisons DIFFER\"")
expect("its element is named"
       "output MATCHES \"DIFFERS: rank 0.*: transpose f64 [^\\n]*, by rows .table.: element .0, 0.: found\"")
file(READ "${file}" text)
string(JSON found GET "${text}" ranks 0 differences 0 found)
string(JSON expected GET "${text}" ranks 0 differences 0 expected)
string(SUBSTRING "${found}" 0 15 found_begin)
string(SUBSTRING "${expected}" 0 15 expected_begin)
expect("the bits are those" "NOT found STREQUAL expected AND found_begin STREQUAL expected_begin")
# Wrong in every run: no right value can be had, and the hashes tell.
set(ENV{ABAX_TEST_FLIP} 0)
set(ENV{ABAX_TEST_FLIP_EVERY} 1)
perf(verify --kernel asum --type f32)
expect("a kernel that is always wrong is found" "code EQUAL 1 AND output MATCHES \"asum +11 +44 +[^ ]+ +11 DIFFER\"")
expect("its hashes are told" "output MATCHES \"asum f32 - 1 1 65 [^\\n]*: hash [0-9a-f]+, expected [0-9a-f]+; \"")
unset(ENV{KOKKOS_TOOLS_LIBS})

# What cannot be done is refused.
foreach(wrong IN ITEMS "--kernel;gem" "--minutes;0" "--minutes;soon" "--type;f16" "--json;${FOLDER}/no/such/folder/f")
  perf(verify ${wrong})
  expect("verify ${wrong} is refused" "code EQUAL 2 AND output MATCHES \"abax-perf: [^\\n]*\\n$\"")
endforeach()

# The table is recorded whole, or not at all, and a changed line is found.
set(copy "${FOLDER}/golden.txt")
execute_process(COMMAND "${GOLDEN}" "${copy}" record RESULT_VARIABLE code)
file(READ "${TABLE}" kept)
file(READ "${copy}" recorded)
expect("the oracle's calls and hashes are those of the table" "code EQUAL 0 AND kept STREQUAL recorded")
execute_process(COMMAND "${GOLDEN}" "${FOLDER}/no/such/folder/golden.txt" record RESULT_VARIABLE code
                ERROR_VARIABLE output)
expect("what cannot be written is said" "code EQUAL 2 AND output MATCHES \"cannot write\"")
file(WRITE "${copy}" "gemv f32 N 7 1 5 1 0.625 0 unit 0123456789abcdef\n")
execute_process(COMMAND "${GOLDEN}" "${copy}" RESULT_VARIABLE code OUTPUT_VARIABLE output)
expect("a hash that is not the oracle's is found" "code EQUAL 1 AND output MATCHES \"the table has 0123456789abcdef\"")
file(WRITE "${copy}" "gemv f32 N 7 1 5\n")
execute_process(COMMAND "${GOLDEN}" "${copy}" RESULT_VARIABLE code ERROR_VARIABLE output)
expect("a line that is none is refused" "code EQUAL 2 AND output MATCHES \"not a line of the golden table\"")
