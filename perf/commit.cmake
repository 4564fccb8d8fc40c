# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Writes HEADER with the commit that SOURCE stands at, if that has changed: cmake -D SOURCE=... -D HEADER=... -P
execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY "${SOURCE}"
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#pragma once\n#define ABAX_COMMIT \"@commit@\"\n" @ONLY)
