# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No call on the host makes a variable that other threads wait for meanwhile: a child that is forked then would wait for
# ever. fork_first.c meets such a variable now and then, its symbol is always there:
# cmake -D LIBRARY=... -D NM=... -P guards.cmake
set(harmless
    at_the_end_of_the_thread # each thread has its own
    at_load # made before there are threads
    "tuning_of_machine\\(\\)" # for devices
    "runnable_(kernels<.*>|integer_loops)\\(\\)") # for tests
list(JOIN harmless "|" harmless)
execute_process(COMMAND "${NM}" -C "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "guard variable for abax::[^\n]*" guards "${symbols}")
list(LENGTH guards count)
list(FILTER guards EXCLUDE REGEX "${harmless}")
if(guards OR count EQUAL 0)
  message(FATAL_ERROR "${count} variables are made at first use; a child may wait for these: ${guards}")
endif()
message(STATUS "${count} variables are made at first use, none of them in a call on the host")
