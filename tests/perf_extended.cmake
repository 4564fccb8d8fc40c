# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests what a source of one's own adds to abax-perf (perf/extended.cpp): cmake -D PROGRAM=... -D FOLDER=... -P
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/perf_program.cmake")
set(small run --backend host --warm --allow-debug)

# A kernel that is only in the table is listed, runs, is checked, written and drawn.
perf(list --backend host)
expect("it is listed" "code EQUAL 0 AND output MATCHES \"test doubling +f32 +100000 \"")
expect("a row in the place of another is there once"
       "NOT output MATCHES \"gemm NN +f32 +512 x 512 x 512.*gemm NN +f32 +512 x 512 x 512\"")
perf(list --kernel "test doublin")
expect("it is suggested" "code EQUAL 2 AND output MATCHES \"did you mean .test doubling.\"")
set(file "${FOLDER}/result.json")
perf(${small} --kernel "test doubling,dot" --type f32,f64 --variant abax --sizes 1000,100000 --seconds 0.03 --passes 3
     --patience 1 --json "${file}")
expect("it runs" "code EQUAL 0 AND output MATCHES \"test doubling f32  100000 [^\\n]*same\"")
file(READ "${file}" text)
set(doubled 0)
foreach(c RANGE 5)
  string(JSON kernel GET "${text}" cases ${c} kernel)
  string(JSON bits GET "${text}" cases ${c} bits)
  expect("${kernel} has the right bits" "bits STREQUAL same")
  string(JSON passes LENGTH "${text}" cases ${c} passes)
  expect("and as many passes as were asked for" "passes EQUAL 3")
  string(JSON samples LENGTH "${text}" cases ${c} variants 0 samples)
  set(sum 0)
  foreach(p RANGE 2)
    string(JSON of_pass GET "${text}" cases ${c} passes ${p})
    math(EXPR sum "${sum} + ${of_pass}")
  endforeach()
  expect("which have all samples" "samples EQUAL sum")

  # The sensor was read meanwhile; what was taken while it said that the machine held back is marked, and not dropped.
  string(JSON temperature GET "${text}" cases ${c} sensors temperature_C 1)
  expect("the temperature is kept" "temperature EQUAL 56.5")
  string(JSON unknown ERROR_VARIABLE error GET "${text}" cases ${c} sensors memory_clock_MHz)
  expect("what the sensor does not say is not" "NOT error STREQUAL NOTFOUND")
  string(JSON marks ERROR_VARIABLE error LENGTH "${text}" cases ${c} variants 0 throttled)
  if(kernel STREQUAL "test doubling")
    math(EXPR doubled "${doubled} + 1")
    string(JSON why GET "${text}" cases ${c} throttled_by 0)
    expect("throttled samples are marked"
           "why STREQUAL \"power cap\" AND marks GREATER 0 AND NOT marks GREATER samples")
  endif()
endforeach()
expect("both sizes were there" "doubled EQUAL 2")
expect("the row says so" "output MATCHES \"test doubling f32  100000 [^\\n]*throttled [0-9]+ % .power cap.\"")
perf(${small} --kernel dot --variant abax --sizes 1000 --seconds 0.01 --passes 1 --patience 1 --json "${file}")
expect("where nothing held back, nothing is marked" "code EQUAL 0 AND NOT output MATCHES throttled")

# One that computes something else is found out.
perf(${small} --kernel "test wrong" --sizes 1000 --passes 1 --seconds 0.001 --patience 1)
expect("wrong results are"
       "code EQUAL 1 AND output MATCHES \"test wrong +f32 +1000 [^\\n]* wrong\" AND output MATCHES \"WRONG\"")

# A single wrong bit in a repeated call is found by verify, and named with what the sensor says.
set(drawn verify --backend host --kernel "gemm TN" --type f32 --minutes 0.005 --max-bytes 1MiB)
perf(${drawn} --json "${FOLDER}/verified.json")
expect("without a fault there is no difference"
       "code EQUAL 0 AND output MATCHES \"\n[1-9][0-9]* golden calls in [0-9]+ runs; [1-9][0-9]* drawn calls\"")
file(READ "${FOLDER}/verified.json" text)
string(JSON hottest GET "${text}" ranks 0 sensors OpenMP temperature_C 2)
expect("the sensor was read" "hottest EQUAL 56.5")
file(REMOVE "${FOLDER}/verified.json")
foreach(call IN ITEMS 1 3) # the first run, and a repeat
  set(ENV{ABAX_TEST_FLIP} ${call})
  perf(${drawn})
  expect("a wrong bit in call ${call} is found" "code EQUAL 1 AND output MATCHES \"[1-3] comparisons DIFFER\"")
  string(REGEX MATCH "gemm TN f32 [^\n]*.repeat.: element [^\n]*found ([0-9a-f]+), expected ([0-9a-f]+)[^\n]*" line
         "${output}")
  math(EXPR turned "0x0${CMAKE_MATCH_1} ^ 0x0${CMAKE_MATCH_2}")
  expect("and named" "turned EQUAL 8 AND line MATCHES \"; 56 C; 1234 MHz; 20[0-9T:-]+Z$\"")
endforeach()
unset(ENV{ABAX_TEST_FLIP})

perf(verify --backend host --kernel "test wrong" --minutes 0.001 --max-bytes 1MiB)
expect("what is always wrong differs from the scalar reference"
       "code EQUAL 1 AND output MATCHES \"test wrong f32 [^\n]*.reference.: element .0, 0.: found [0-9a-f]+, exp\"")

# Products by way of integers are drawn, too, and compared with their own scalar reference.
perf(verify --backend host --kernel gemm_integer --minutes 0.005 --max-bytes 1MiB)
expect("drawn integer products are right"
       "code EQUAL 0 AND output MATCHES \"gemm_integer [NT][NT] +f\" AND output MATCHES \"[1-9][0-9]* drawn calls\"")

# Kokkos Kernels, or its stand-in, beside Abax.
perf(${small} --kernel gemm,gemv,dot --shape 17x18x19,20x21,22 --variant kokkos-kernels --passes 1 --seconds 0.001
     --patience 1)
string(REGEX MATCHALL "same  Kokkos Kernels [0-9]" beside "${output}")
list(LENGTH beside count)
expect("Kokkos Kernels computes all of its kernels" "code EQUAL 0 AND count EQUAL 14")
perf(${small} --kernel dot --sizes 22 --variant abax --passes 1 --seconds 0.001 --patience 1)
expect("a variant that is not asked for is left out" "code EQUAL 0 AND NOT output MATCHES \"Kokkos Kernels\"")

# The whole suite, as quick as it gets: the file that perf_schema.py reads.
perf(${small} --sizes 33,512 --kernel gemm,transpose,launch,increment --type f32,f64,c64 --variant copy --seconds 0.02
     --passes 2 --patience 1 --json "${FOLDER}/quick.json")
expect("a run of many kernels succeeds" "code EQUAL 0")

# One case is slower in truth, by a factor that no machine's noise reaches: it is found, and fails. The other's calls of
# microseconds mostly end before another program has the core; two threads that wait for each other would not.
set(case ${small} --kernel "gemm NN,dot" --type f32 --shape 512x8x8,512 --variant abax --seconds 0.1 --passes 3
     --patience 1)
set(threads "$ENV{OMP_NUM_THREADS}")
set(ENV{OMP_NUM_THREADS} 1)
set(ENV{ABAX_TEST_PACE} 1)
perf(${case} --json "${FOLDER}/before.json")
set(ENV{ABAX_TEST_SLOWER} 400)
perf(${case} --json "${FOLDER}/after.json")
unset(ENV{ABAX_TEST_SLOWER})
unset(ENV{ABAX_TEST_PACE})
if(threads)
  set(ENV{OMP_NUM_THREADS} "${threads}")
else()
  unset(ENV{OMP_NUM_THREADS})
endif()
perf(compare "${FOLDER}/before.json" "${FOLDER}/after.json" --fail-on slower=100%)
if(NOT output MATCHES "needs Python 3 with NumPy")
  expect("the slower one is found" "code EQUAL 1 AND output MATCHES \"gemm NN +f32 +512 x 8 x 8 [^\\n]*slower\"")
  expect("and no other" "output MATCHES \"2 compared: 1 slower\"")
endif()

perf(${small} --kernel "test doubling" --sizes 100,1000,10000 --passes 1 --seconds 0.001 --patience 1 --json "${file}")
perf(plot "${file}" -o "${FOLDER}/pictures")
if(NOT output MATCHES "needs Python 3 with Matplotlib")
  expect("the added kernel is drawn"
         "code EQUAL 0 AND EXISTS \"${FOLDER}/pictures/result-rate-test-doubling-f32-openmp.svg\"")
endif()
