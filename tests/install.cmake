# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs a build and moves the tree: cmake -D BUILD=... -D PREFIX=... -D CONFIG=... -D BLAS=ON -P install.cmake
file(REMOVE_RECURSE "${PREFIX}" "${PREFIX}.first")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}.first" --config "${CONFIG}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${PREFIX}.first" "${PREFIX}")
# What was built here must not look for anything where it was built, nor where it was installed first; shared libraries
# of one tree look for each other where they lie.
file(GLOB_RECURSE libraries "${PREFIX}/lib*/*.so")
if(BLAS AND NOT libraries MATCHES "libabax_blas.so")
  message(FATAL_ERROR "no libabax_blas.so among '${libraries}'")
endif()
foreach(library IN LISTS libraries)
  file(READ_ELF "${library}" RPATH rpath RUNPATH runpath)
  if(NOT "${rpath}${runpath}" MATCHES "^([$]ORIGIN)?$")
    message(FATAL_ERROR "${library} looks for libraries in ${rpath} ${runpath}")
  endif()
endforeach()
