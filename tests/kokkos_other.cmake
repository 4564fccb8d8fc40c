# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(Abax) in a project that has another Kokkos already: refused in a sentence that names both, and taken
# where it is the same one:
# cmake -D PREFIX=... -D KOKKOS=Abax' own -D VERSION=its version -D FOLDER=... -D GENERATOR=... -D COMPILER=...
#       -D MAKE=... -P kokkos_other.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
set(others "${FOLDER}/others")
set(prefixes "${PREFIX}")
set(root "${KOKKOS}")

# Two packages, of another version and of the same one in another place, and a source tree.
foreach(version IN ITEMS 4.7.99 ${VERSION})
  file(WRITE "${others}/${version}/KokkosConfig.cmake" "add_library(Kokkos::kokkos INTERFACE IMPORTED)\n")
  file(WRITE "${others}/${version}/KokkosConfigVersion.cmake" "set(PACKAGE_VERSION ${version})
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE ON)
  set(PACKAGE_VERSION_EXACT ON)
endif()\n")
endforeach()
file(WRITE "${others}/source/CMakeLists.txt" "project(Kokkos VERSION 5.0.1 LANGUAGES CXX)
add_library(kokkos INTERFACE)
add_library(Kokkos::kokkos ALIAS kokkos)
set(Kokkos_VERSION 5.0.1 PARENT_SCOPE)\n")

# Configures a project that begins with `first`; what it printed, on one line, in `output`.
function(configure first how output status)
  file(WRITE "${FOLDER}/user/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
${first}
find_package(Abax 0.1 CONFIG ${how})
if(Abax_FOUND AND TARGET Abax::core)
  message(STATUS \"went on with Abax\")
else()
  message(STATUS \"went on without Abax\")
endif()\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" --fresh -S "${FOLDER}/user" -B "${FOLDER}/build" -G "${GENERATOR}"
                          "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefixes}"
                          "-DKokkos_ROOT=${root}" "-DCMAKE_MAKE_PROGRAM=${MAKE}"
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}") # CMake breaks a message's lines
  set(${output} "${text}" PARENT_SCOPE)
  set(${status} "${result}" PARENT_SCOPE)
endfunction()
function(expect words output)
  string(FIND "${output}" "${words}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "expected '${words}', found: ${output}")
  endif()
endfunction()

foreach(case IN ITEMS 4.7.99 ${VERSION} 5.0.1)
  set(first "find_package(Kokkos CONFIG REQUIRED PATHS \"${others}/${case}\" NO_DEFAULT_PATH)")
  set(other "${others}/${case}")
  if(case STREQUAL "5.0.1")
    set(first "add_subdirectory(\"${others}/source\" kokkos)")
    set(other "${others}/source")
  endif()
  configure("${first}" REQUIRED output status)
  expect("already has a Kokkos, ${case} in ${other}, and Abax was built with another, ${VERSION} in ${KOKKOS}."
         "${output}")
  if(status EQUAL 0)
    message(FATAL_ERROR "with another Kokkos, ${case}, configuring went on: ${output}")
  endif()
  configure("${first}" "" output status)
  expect("went on without Abax" "${output}")
endforeach()
foreach(first IN ITEMS "" "find_package(Kokkos CONFIG REQUIRED)" "find_package(Abax CONFIG REQUIRED)")
  configure("${first}" REQUIRED output status)
  expect("went on with Abax" "${output}")
endforeach()

# Another one of the same version on the path changes nothing, whichever call comes first.
set(prefixes "${others}/${VERSION}" "${PREFIX}")
set(root "")
foreach(first IN ITEMS "" "find_package(Abax CONFIG REQUIRED)")
  configure("${first}" REQUIRED output status)
  expect("went on with Abax" "${output}")
endforeach()
