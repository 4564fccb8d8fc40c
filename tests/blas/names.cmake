# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libabax_blas.so exports exactly what abax.h, cblas.h and the BLAS promise:
# cmake -D LIBRARY=... -D NM=... -D INCLUDE=... -P names.cmake
set(promised)
list(APPEND promised isamax_ isamax_64_ idamax_ idamax_64_)
foreach(routine IN ITEMS gemm gemm_batch gemm_batch_strided gemmt gemmtr syrk gemv dot nrm2 asum axpy scal copy
                         omatcopy)
  foreach(type IN ITEMS s d)
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
if(missing OR others OR count LESS 80)
  message(FATAL_ERROR "${count} names; promised and not exported: '${missing}'; exported and not promised: '${others}'")
endif()
message(STATUS "${count} names, as promised")
