# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libabax_blas.so exports exactly what abax.h, cblas.h and the BLAS promise:
# cmake -D LIBRARY=... -D NM=... -D INCLUDE=... -P names.cmake
set(promised)
set(routines gemm gemm_batch gemm_batch_strided gemmt gemmtr syrk gemv axpy scal copy omatcopy)
set(others_s dot nrm2 asum) # names of one type each
set(others_d ${others_s})
set(others_c herk dotu dotc sscal)
set(others_z herk dotu dotc dscal)
list(APPEND promised scnrm2_ scnrm2_64_ dznrm2_ dznrm2_64_ scasum_ scasum_64_ dzasum_ dzasum_64_)
foreach(type IN ITEMS s d c z)
  list(APPEND promised i${type}amax_ i${type}amax_64_)
  foreach(routine IN LISTS routines others_${type})
    list(APPEND promised ${type}${routine}_ ${type}${routine}_64_)
  endforeach()
endforeach()
foreach(header IN ITEMS abax.h cblas.h)
  file(READ "${INCLUDE}/abax/${header}" text)
  string(REGEX REPLACE "/\\*([^*]|\\*[^/])*\\*/" "" text "${text}")
  string(REGEX MATCHALL "(abax|cblas)_[a-z0-9_]+\\(|extern int [A-Za-z]+" names "${text}")
  list(TRANSFORM names REPLACE "\\(|extern int " "")
  list(APPEND promised ${names})
endforeach()

execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}" OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "[ @].*" "")

set(missing ${promised})
list(REMOVE_ITEM missing ${symbols})
set(others ${symbols})
list(REMOVE_ITEM others ${promised})
list(LENGTH symbols count)
if(missing OR others OR count LESS 250)
  message(FATAL_ERROR "${count} names; promised and not exported: '${missing}'; exported and not promised: '${others}'")
endif()
message(STATUS "${count} names, as promised")
