# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the Python module from the source tree with pip, and tests it from there:
# cmake -D PYTHON=... -D SOURCE=... -D FOLDER=... [-D KOKKOS=PREFIX] -P pip.cmake
# KOKKOS: an installed one, which spares building it again: a third of the time.
file(REMOVE_RECURSE "${FOLDER}/site")
execute_process(COMMAND "${PYTHON}" -m pip --version OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE no_pip)
if(no_pip)
  message(STATUS "skipped: no pip for ${PYTHON}")
  return()
endif()
execute_process(COMMAND "${PYTHON}" -m pip download --quiet --no-deps --timeout 15 --retries 1
                        --dest "${FOLDER}/backend" scikit-build-core
                RESULT_VARIABLE no_index ERROR_VARIABLE error)
if(no_index)
  message(STATUS "skipped: pip cannot fetch scikit-build-core: ${error}")
  return()
endif()
set(settings "--config-settings=build-dir=${FOLDER}/build"
             "--config-settings=cmake.define.ABAX_JOIN_SOURCES=ON"
             "--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0") # in a third of the time, with the same bits
if(KOKKOS)
  list(APPEND settings "--config-settings=cmake.define.Kokkos_ROOT=${KOKKOS}")
endif()
execute_process(COMMAND "${PYTHON}" -m pip install --quiet --no-deps --disable-pip-version-check --no-cache-dir
                        ${settings} --target "${FOLDER}/site" "${SOURCE}/src/python"
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "pip install: ${output}")
endif()
set(ENV{PYTHONPATH} "${FOLDER}/site")
execute_process(COMMAND "${PYTHON}" -B "${CMAKE_CURRENT_LIST_DIR}/python.py" WORKING_DIRECTORY "${FOLDER}"
                COMMAND_ERROR_IS_FATAL ANY)
