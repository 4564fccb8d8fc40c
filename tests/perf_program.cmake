# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What tests of abax-perf share: PROGRAM is run, FOLDER is theirs, and empty.
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
