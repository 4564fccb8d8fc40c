# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests abax-perf as its users run it: cmake -D PROGRAM=... -D FOLDER=... -P perf.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/perf_program.cmake")

# A run of every kernel, small: its results are right, and the file holds them.
set(file "${FOLDER}/result.json")
set(table "${FOLDER}/result.csv")
set(foreign "${FOLDER}/foreign.json")
file(WRITE "${foreign}" "not ours")
file(CREATE_LINK "${foreign}" "${file}.incoming" SYMBOLIC) # the program must not write through this link
perf(run --backend host --sizes 33 --warm --seconds 0.001 --passes 2 --patience 1 --json "${file}" --csv "${table}"
     --allow-debug)
expect("a run succeeds" "code EQUAL 0")
file(READ "${foreign}" text)
expect("no file with a name like the result's is written through" "text STREQUAL \"not ours\"")
file(REMOVE "${file}.incoming" "${foreign}")
expect("no progress is shown where nobody looks" "NOT output MATCHES \"\\[[0-9]+/[0-9]+\\]\"")
file(READ "${file}" text)
string(JSON schema GET "${text}" schema)
expect("the file says how it is written" "\"${schema}\" STREQUAL \"abax-perf 2\"")
string(JSON context GET "${text}" context)
string(JSON cases LENGTH "${text}" cases)
expect("there is a case for each kernel and type" "${cases} GREATER 15")
string(JSON status GET "${text}" status)
expect("none is missing" "status STREQUAL complete")
file(STRINGS "${table}" lines)
list(LENGTH lines count)
expect("the table has a line for each of them, and a heading" "count GREATER cases")
foreach(line IN LISTS lines)
  string(REGEX MATCHALL "," commas "${line}")
  list(LENGTH commas count)
  expect("each of its lines is whole: ${line}" "count EQUAL 26")
endforeach()
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
expect("the variants are named" "output MATCHES \"\nVariants on [A-Za-z]+: abax, [^\n]*copy[^\n]*\n\"")
expect("each kernel takes the shapes of its form" "output MATCHES \"dot +f64 +9 \" AND NOT output MATCHES f32")

perf(list --kernel gemm,herk,dotc --backend host --shape 5x6x7,9x8,9)
foreach(type IN ITEMS c64 c128)
  foreach(row IN ITEMS "gemm CN +${type} +5 x 6 x 7" "herk C +${type} +9 x 8" "dotc +${type} +9")
    expect("so are complex kernels: ${row}" "code EQUAL 0 AND output MATCHES \"${row} \"")
  endforeach()
endforeach()

# For a profiler: everything once, checked, not timed.
perf(run --once --backend host --kernel gemm,dot --sizes 9 --allow-debug)
expect("a run without timing succeeds" "code EQUAL 0 AND output MATCHES \"gemm TT +f64 +9 x 9 x 9 +[A-Za-z]+ +same\"")
perf(run --once --backend host --kernel gemm_integer --shape 19x18x65 --allow-debug)
string(REGEX MATCHALL "gemm_integer (NN|NT|TN|TT) f(32|64) +19 x 18 x 65 +[A-Za-z]+ +same\n" right "${output}")
list(LENGTH right count)
expect("products by way of integers follow their own canon" "code EQUAL 0 AND count EQUAL 8")
perf(run --once --json "${file}" --allow-debug)
expect("it has no figures to write" "code EQUAL 2")

# Ranges.
perf(list --kernel "gemm NN" --type f64 --backend host --sizes 256:8192:*2,100:320:+100 --mnk 64x64x100000,256x256x256)
string(REGEX MATCHALL "gemm NN" rows "${output}")
list(LENGTH rows count)
expect("ranges are written out, and nothing runs twice" "code EQUAL 0 AND count EQUAL 10")
expect("up to their ends" "output MATCHES \"8192 x 8192 x 8192\" AND output MATCHES \"300 x 300 x 300\"")
expect("shapes as well" "output MATCHES \"64 x 64 x 100000\"")

# How long it would take, and what would not fit.
perf(run --dry-run --backend host --kernel dot,gemv --type f32,f64 --sizes 33 --seconds 0.05
     --json "${FOLDER}/none.json" --allow-debug)
expect("a dry run estimates" "code EQUAL 0 AND output MATCHES \"\n6 cases, about [0-9]+ s\"")
perf(list --quick)
expect("only a run is quick" "code EQUAL 2")
perf(run --backend host --kernel dot --type f32,f64 --sizes 33 --seconds 0.001 --time-limit 0.01
     --json "${FOLDER}/late.json" --allow-debug)
expect("a time limit leaves cases out, and says so" "code EQUAL 0 AND output MATCHES \"left 2 cases out\"")
file(READ "${FOLDER}/late.json" text)
string(JSON status GET "${text}" status)
expect("in the file, too" "status MATCHES \"^out of time: 0 of 2\"")
file(REMOVE "${FOLDER}/late.json")

# Interrupted, it keeps what was measured until then. The signal comes twice, as from timeout(1), which sends it to the
# process and to the process' group.
find_program(sh sh)
if(sh AND NOT WIN32)
  set(kept "${FOLDER}/kept.json")
  set(script "'${PROGRAM}' run --backend host --sizes 33 --warm --seconds 0.05 --json '${kept}' --allow-debug & \
child=$!; until test -e '${kept}'; do kill -0 $child || exit 99; sleep 0.1; done; kill -TERM $child; sleep 0.01; \
kill -TERM $child; wait $child")
  execute_process(COMMAND "${sh}" -c "${script}" RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  expect("an interrupted run ends as the signal says"
         "code EQUAL 143 AND output MATCHES \"Interrupted: [0-9]+ of [0-9]+\"")
  file(READ "${kept}" text)
  string(JSON status GET "${text}" status)
  string(JSON cases LENGTH "${text}" cases)
  expect("what it measured is kept" "status MATCHES \"^interrupted: ${cases} of [0-9]+ cases\" AND cases GREATER 0")
  perf(compare "${kept}" "${file}" --threshold 1000%)
  if(NOT output MATCHES "needs Python 3 with")
    expect("and can be read" "code EQUAL 0 AND output MATCHES \"before was not completed: interrupted.*Only after:\"")
  endif()
  file(REMOVE "${kept}")
endif()

# What figures depend on.
perf(devices)
expect("the host is described"
       "code EQUAL 0 AND output MATCHES \"\n  threads +4, now on the CPUs( [0-9]+)( [0-9]+)( [0-9]+)( [0-9]+)\"")
if(EXISTS /proc/meminfo)
  expect("its memory, too" "output MATCHES \"\n  memory +[0-9.]+ [KMG]iB, of it free [0-9.]+ [KMG]iB\"")
endif()

# What cannot be done is said in one line, and nothing is measured or written.
foreach(wrong IN ITEMS "--kernel;gem" "--shape;3xa" "--shape;1x2x3x4" "--shape;x" "--type;f16" "--library;mkl"
    "--variant;mlk"
                       "--library;mkl=/no/such/library" "--peer;mlk" "--backend;hots" "--sizes;0" "--sizes;-8"
                       "--sizes;1000000000000" "--sizes;100000000000000000000" "--sizes;1:2" "--sizes;8:4:*2"
                       "--sizes;8:16:*1" "--sizes;8:16:+0" "--sizes;1:9000000:+1" "--seconds;0" "--seconds;nan"
                           "--passes;0" "--passes;1.5" "--passes;1000" "--patience;0"
                       "--time-limit;soon" "--time-limit;-1" "--json;${FOLDER}/no/such/folder/result.json"
                       "--json;${FOLDER}" "--json;/dev/null" "--csv;${FOLDER}/no/such/folder/result.csv")
  set(sizes --sizes 8)
  if(wrong MATCHES "--sizes")
    set(sizes)
  endif()
  perf(run --kernel gemm --backend host ${sizes} --allow-debug ${wrong})
  expect("run ${wrong} is refused" "code EQUAL 2 AND output MATCHES \"abax-perf: [^\\n]*\\n$\"")
endforeach()
perf(run --kernel gem --allow-debug)
expect("the nearest kernel is named" "output MATCHES \"^abax-perf: --kernel .gem. is unknown: did you mean .gemm.\"")
foreach(name IN ITEMS Host System CPU Binding Build Flags OMP_NUM_THREADS OpenMP)
  string(JSON value ERROR_VARIABLE error GET "${context}" ${name})
  expect("the file says on what it depends: ${name}" "error STREQUAL NOTFOUND AND NOT value STREQUAL \"\"")
endforeach()
perf(run --peer mlk --allow-debug)
expect("the nearest library is named" "output MATCHES \"did you mean .mkl.\"")
perf(runn)
expect("an unknown command is refused" "code EQUAL 2 AND output MATCHES \"did you mean .run.\"")
file(GLOB left "${FOLDER}/*")
expect("nothing but the results is left" "\"${left}\" STREQUAL \"${table};${file}\"")
