# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs Netlib's testers:
# cmake -D BUILD=... -D LAPACK=... -D NM=... -D NAME=avx2 [-D SET=avx2] [-D PRELOAD=...] -P run_netlib.cmake
# SET: on one instruction set. PRELOAD: with a library that stands before the Fortran routines; then those alone.
# Each routine that libabax_blas offers must pass by name, nothing may fail, and the program must not hold the
# reference's routine in its place.
if(SET)
  set(ENV{ABAX_CPU} ${SET})
endif()
set(folder "${BUILD}/run.${NAME}")
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}")

function(run program input)
  set(in "")
  if(input)
    set(in INPUT_FILE "${LAPACK}/${input}")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "LD_PRELOAD=${PRELOAD}" "${BUILD}/${program}" ${in}
                  WORKING_DIRECTORY "${folder}" OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(EXISTS "${folder}/${program}.out") # where the Fortran testers of levels 2 and 3 write
    file(READ "${folder}/${program}.out" summary)
    string(APPEND output "${summary}")
  endif()
  if(NOT status EQUAL 0 OR output MATCHES "FAIL|SUSPECT|XERBLA WAS|NOT DETECTED|ABANDONED")
    message(FATAL_ERROR "${program} (${status}):\n${output}")
  endif()
  foreach(line IN LISTS ARGN)
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "${program}: no '${line}' in:\n${output}")
    endif()
  endforeach()
endfunction()

function(require_undefined program)
  execute_process(COMMAND "${NM}" -D --undefined-only --format=posix "${BUILD}/${program}" OUTPUT_VARIABLE names
                  COMMAND_ERROR_IS_FATAL ANY)
  foreach(name IN LISTS ARGN)
    if(NOT "\n${names}" MATCHES "\n${name}[ @]")
      message(FATAL_ERROR "${program} does not take ${name} from libabax_blas")
    endif()
  endforeach()
endfunction()

set(pass "[ \n-]*PASS")
foreach(type IN ITEMS s d)
  string(TOUPPER ${type} T)
  set(level1 dot nrm2 asum axpy scal copy)
  set(names ${level1})
  list(TRANSFORM names PREPEND ${type})
  list(APPEND names i${type}amax)
  list(TRANSFORM names APPEND _ OUTPUT_VARIABLE fortran)
  list(TRANSFORM names PREPEND cblas_ OUTPUT_VARIABLE c)
  require_undefined(${type}blat1 ${fortran})
  require_undefined(c_${type}blat1 ${c})
  string(TOUPPER "${names}" upper)
  list(TRANSFORM upper APPEND "${pass}" OUTPUT_VARIABLE lines)
  run(${type}blat1 "" ${lines})
  list(TRANSFORM lines PREPEND CBLAS_)
  if(NOT PRELOAD)
    run(c_${type}blat1 "" ${lines})
  endif()
  set(levels 2 3 3)
  set(routines gemv gemm syrk)
  foreach(level routine IN ZIP_LISTS levels routines)
    string(TOUPPER ${type}${routine} ROUTINE)
    require_undefined(${type}blat${level} ${type}${routine}_)
    require_undefined(c_${type}blat${level} cblas_${type}${routine})
    run(${type}blat${level} BLAS/TESTING/${type}blat${level}.in "${ROUTINE} +PASSED THE TESTS OF ERROR-EXITS"
        "${ROUTINE} +PASSED THE COMPUTATIONAL TESTS")
    if(PRELOAD)
      continue()
    endif()
    run(c_${type}blat${level} CBLAS/testing/${type}in${level} "cblas_${type}${routine} +PASSED THE TESTS OF ERROR-EXITS"
        "cblas_${type}${routine} +PASSED THE COLUMN-MAJOR COMPUTATIONAL TESTS"
        "cblas_${type}${routine} +PASSED THE ROW-MAJOR +COMPUTATIONAL TESTS")
  endforeach()
endforeach()
message(STATUS "Netlib's testers of the BLAS and the CBLAS pass: ${NAME}")
