# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds pdgemm.c against ScaLAPACK with libabax_blas before it, and runs it on 1, 2 and 4 ranks: for each, the bits do
# not depend on the number of OpenMP threads.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
cmake_path(GET LIBRARY PARENT_PATH library_folder)
execute_process(COMMAND "${MPICC}" -O2 "${CMAKE_CURRENT_LIST_DIR}/pdgemm.c" -o "${FOLDER}/pdgemm" -Wl,--no-as-needed
                        "${LIBRARY}" "-Wl,-rpath,${library_folder}" "${SCALAPACK}" -ldl
                COMMAND_ERROR_IS_FATAL ANY)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
foreach(ranks IN ITEMS 1 2 4)
  set(first "")
  foreach(threads IN ITEMS 1 2 3)
    execute_process(COMMAND "${MPIRUN}" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np ${ranks}
                            -x OMP_NUM_THREADS=${threads} "${FOLDER}/pdgemm"
                    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
    if(NOT status EQUAL 0 OR NOT output MATCHES "${ranks} ranks: [0-9a-f]+")
      message(FATAL_ERROR "${ranks} ranks, ${threads} threads: ${status}\n${output}${errors}")
    endif()
    if(first AND NOT output STREQUAL first)
      message(FATAL_ERROR "${threads} threads change the bits: ${output}, and with 1 thread ${first}")
    endif()
    set(first "${output}")
  endforeach()
  string(STRIP "${first}" first)
  message(STATUS "${first} with 1, 2 and 3 threads")
endforeach()
