# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests `abax-perf plot`, where Python has Matplotlib: cmake -D PROGRAM=... -D FOLDER=... -P perf_plot.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/perf_program.cmake")

perf(run --backend host --kernel "gemm NN,dot" --type f32 --warm --peer copy --sizes 8:32:*2 --seconds 0.001 --passes 2
     --patience 1
     --json "${FOLDER}/result.json" --allow-debug)
expect("there is something to draw" "code EQUAL 0")
# Names that would mean something in a page, in a picture's formulas, or to a terminal.
file(READ "${FOLDER}/result.json" text)
string(REPLACE "\"gemm NN\"" "\"</svg><script>alert(1)</script> $x_$ gemm\"" hostile "${text}")
string(REPLACE "\"complete\"" "\"<script>1</script>\"" hostile "${hostile}")
file(WRITE "${FOLDER}/../hostile.json" "${hostile}")

set(pictures "${FOLDER}/new/pictures")
perf(plot "${FOLDER}/result.json" "${FOLDER}/../hostile.json" -o "${pictures}")
file(REMOVE "${FOLDER}/../hostile.json")
if(output MATCHES "needs Python 3 with Matplotlib")
  message("skipped: no Matplotlib")
  return()
endif()
expect("it draws" "code EQUAL 0 AND output MATCHES \"index.html\"")
file(GLOB drawn "${pictures}/*.svg")
list(LENGTH drawn count)
expect("a roofline, and the rates of each kernel, of either file" "count EQUAL 6")
file(READ "${pictures}/index.html" page)
string(REGEX MATCHALL "<svg" pictures_inside "${page}")
list(LENGTH pictures_inside inside)
expect("the page holds them all" "inside EQUAL count")
expect("it is for dark rooms, too" "page MATCHES \"prefers-color-scheme\"")
expect("and for phones" "page MATCHES \"width=device-width\"")
expect("it loads nothing" "NOT page MATCHES \"<script|<link|src=|url\\\\(http|@import\"")
expect("and says what it cannot show" "page MATCHES \"&lt;script&gt;1&lt;/script&gt;\"")
foreach(file IN LISTS drawn)
  file(READ "${file}" text)
  expect("${file} stands alone"
         "text MATCHES \"^<svg\" AND text MATCHES \"</svg>.?$\" AND NOT text MATCHES \"<script\"")
endforeach()

perf(plot "${FOLDER}/none.json" -o "${pictures}")
expect("a file that is not there is refused" "code EQUAL 2 AND output MATCHES \"^abax-perf: [^\\n]*\\n$\"")
perf(plot "${FOLDER}/result.json" -o "${FOLDER}/result.json")
expect("a folder that is none is refused" "code EQUAL 2 AND output MATCHES \"^abax-perf: [^\\n]*\\n$\"")
