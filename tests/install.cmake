# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs a build and moves the tree, then looks at what is there and runs its programs:
# cmake -D BUILD=... -D PREFIX=... -D CONFIG=... -D BLAS=ON -D PERF=ON -D LICENCES=of which libraries -P install.cmake
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

# Nobody needs the source for its licences, examples and pages.
set(wanted share/licenses/abax/LICENSE share/doc/abax/README.md share/doc/abax/docs/canon.md
           share/doc/abax/docs/library.md share/abax/examples/CMakeLists.txt share/abax/examples/cg.cpp
           share/doc/abax/docs/examples/cg.cpp)
foreach(library IN LISTS LICENCES)
  file(GLOB found "${PREFIX}/share/licenses/abax/${library}/*")
  if(NOT found)
    message(FATAL_ERROR "no licence of ${library} was installed")
  endif()
endforeach()
if(BLAS)
  list(APPEND wanted share/abax/python/abax/__init__.py share/abax/python/abax/libabax_blas.so
                     include/abax/abax.F90)
endif()
if(PERF)
  # A program without its build and its first prefix, in an environment that helps it to find nothing.
  foreach(program IN ITEMS abax-perf abax-lab)
    execute_process(COMMAND env -i OMP_NUM_THREADS=2 "${PREFIX}/bin/${program}" --help RESULT_VARIABLE status
                    OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0 OR NOT output MATCHES "${program}")
      message(FATAL_ERROR "${program} --help ended with ${status}: ${output}")
    endif()
    file(READ_ELF "${PREFIX}/bin/${program}" RPATH rpath RUNPATH runpath)
    string(FIND "${rpath}${runpath}" "${BUILD}" build)
    string(FIND "${rpath}${runpath}" "${PREFIX}" first)
    if(NOT build EQUAL -1 OR NOT first EQUAL -1)
      message(FATAL_ERROR "${program} looks for libraries in ${rpath} ${runpath}")
    endif()
  endforeach()
endif()
foreach(file IN LISTS wanted)
  if(NOT EXISTS "${PREFIX}/${file}")
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
file(GLOB_RECURSE files RELATIVE "${PREFIX}" "${PREFIX}/*")
list(FILTER files INCLUDE REGEX "__pycache__|[.]cpp[.]in$")
if(files)
  message(FATAL_ERROR "installed, and nobody's: ${files}")
endif()
