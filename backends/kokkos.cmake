# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where Kokkos comes from: installed, else the official release, else the package index. Sets
#   ABAX_KOKKOS_CUDA        whether it has CUDA
#   ABAX_KOKKOS_LANGUAGE    what CMake calls a source that includes it: CXX or CUDA
#   ABAX_KOKKOS_WRAPS_NVCC  whether nvcc stands in for the C++ compiler there
#   ABAX_KOKKOS_VERSION     as major.minor.patch
#   ABAX_KOKKOS_DIR         where it is installed, if it is
include("${CMAKE_CURRENT_LIST_DIR}/fetch.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/kokkos_views.cmake")

set(ABAX_KOKKOS_URL "" CACHE STRING "Kokkos' release archive elsewhere: on a mirror, or file:///...")
set(ABAX_KOKKOS_SHA256 4213b248c39e112299fa94ee08817e51126fc02996ed6e2ab56aec4cdb80ee1f
    CACHE STRING "The SHA-256 of Kokkos' release archive")
mark_as_advanced(ABAX_KOKKOS_URL ABAX_KOKKOS_SHA256)

# Producer: Kokkos 4.7.00 as it stands whole in the source package of pygenten.
function(abax_produce_kokkos_from_index error folder sha256)
  abax_pip_download(problem "${folder}" pygenten 0.1.5 ${sha256} scikit_build_core.build)
  set(archive "${folder}/download/pygenten-0.1.5.tar.gz")
  if(NOT problem)
    abax_check_hash(problem "${archive}" ${sha256})
  endif()
  if(NOT problem)
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}/unpacked" PATTERNS "pygenten-0.1.5/tpls/kokkos")
    file(RENAME "${folder}/unpacked/pygenten-0.1.5/tpls/kokkos" "${folder}/tree")
    abax_prepare_kokkos_for_cuda_13("${folder}/tree")
  endif()
  set(${error} "${problem}" PARENT_SCOPE)
endfunction()

# CUDA 13 gave two functions another parameter; Kokkos follows in 4.7.01. For older CUDA nothing changes, and a
# source that is prepared already matches neither pattern.
function(abax_prepare_kokkos_for_cuda_13 source)
  set(header "${source}/core/src/Cuda/Kokkos_Cuda_Instance.hpp")
  file(READ "${header}" text)
  string(REPLACE "cudaGraphAddDependencies(graph, from, to, numDependencies);" "\
cudaGraphAddDependencies(graph, from, to,
#if CUDART_VERSION >= 13000
                                    nullptr,
#endif
                                    numDependencies);" text "${text}")
  string(REPLACE "cudaMemPrefetchAsync(devPtr, count, dstDevice, m_stream);" "\
cudaMemPrefetchAsync(devPtr, count,
#if CUDART_VERSION >= 13000
                                cudaMemLocation{cudaMemLocationTypeDevice, dstDevice}, 0,
#else
                                dstDevice,
#endif
                                m_stream);" text "${text}")
  file(WRITE "${header}" "${text}")
endfunction()

# Names the GPU to build for, unless the user has: the one in this machine, else a Hopper (sm_90).
function(abax_choose_gpu)
  unset(number) # a caller's variable of that name is none of this function's
  get_cmake_property(variables CACHE_VARIABLES)
  list(FILTER variables INCLUDE REGEX "^Kokkos_ARCH_(MAXWELL|PASCAL|VOLTA|TURING|AMPERE|ADA|HOPPER|BLACKWELL)")
  foreach(variable IN LISTS variables)
    if(${variable})
      string(REGEX REPLACE ".*[A-Z]" "" number ${variable})
      break()
    endif()
  endforeach()
  if(NOT DEFINED number AND CMAKE_CUDA_ARCHITECTURES MATCHES "^([0-9]+)")
    set(number ${CMAKE_MATCH_1})
  elseif(NOT DEFINED number)
    set(number 90)
    set(why "no GPU is visible here")
    find_program(ABAX_NVIDIA_SMI nvidia-smi)
    mark_as_advanced(ABAX_NVIDIA_SMI)
    if(ABAX_NVIDIA_SMI)
      execute_process(COMMAND "${ABAX_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
                      OUTPUT_VARIABLE capability ERROR_QUIET)
      if(capability MATCHES "^([0-9]+)\\.([0-9]+)")
        set(number ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
        set(why "the GPU of this machine")
      endif()
    endif()
    message(STATUS "Building for sm_${number} (${why})")
  endif()

  foreach(name IN ITEMS PASCAL60 PASCAL61 VOLTA70 VOLTA72 TURING75 AMPERE80 AMPERE86 AMPERE87 ADA89 HOPPER90
                        BLACKWELL100 BLACKWELL120)
    if(name MATCHES "[A-Z]${number}$") # for any other number Kokkos asks the GPU itself
      set(Kokkos_ARCH_${name} ON CACHE BOOL "The GPU to build for")
    endif()
  endforeach()
  set(CMAKE_CUDA_ARCHITECTURES ${number} CACHE STRING "The GPU to build for")
endfunction()

# 1. Installed, or brought by a project around Abax.
set(kokkos_source "${FETCHCONTENT_SOURCE_DIR_KOKKOS}")
if(NOT TARGET Kokkos::kokkos AND NOT kokkos_source)
  find_package(Kokkos 4.7...<6 CONFIG QUIET GLOBAL)
  if(NOT Kokkos_FOUND)
    set(tried "1. an installed package: none of version 4.7 to 5.x")
    foreach(config version IN ZIP_LISTS Kokkos_CONSIDERED_CONFIGS Kokkos_CONSIDERED_VERSIONS)
      string(APPEND tried ", ${version} in ${config}")
    endforeach()
  endif()
endif()

if(TARGET Kokkos::kokkos AND Kokkos_FOUND)
  foreach(device IN ITEMS OPENMP CUDA)
    if("$CACHE{Kokkos_ENABLE_${device}}" AND NOT device IN_LIST Kokkos_DEVICES)
      message(FATAL_ERROR
        " Kokkos_ENABLE_${device} is ON, but the Kokkos in ${Kokkos_DIR} has only ${Kokkos_DEVICES}.\n"
        " Name another one with -DKokkos_ROOT=PREFIX, or let Abax build its own with "
        "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON.")
    endif()
  endforeach()
  set(ABAX_KOKKOS_DIR "${Kokkos_DIR}")
  message(STATUS "Kokkos ${Kokkos_VERSION}: installed in ${Kokkos_DIR}")
elseif(TARGET Kokkos::kokkos)
  get_target_property(kokkos_folder Kokkos::kokkos SOURCE_DIR)
  get_directory_property(Kokkos_VERSION DIRECTORY "${kokkos_folder}" DEFINITION Kokkos_VERSION)
  message(STATUS "Kokkos ${Kokkos_VERSION}: from the project around Abax")
else()
  # 2. The release, unless this machine has turned to the index before: no new build folder waits for a time-out again.
  set(index_sha256 e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7)
  string(SUBSTRING "kokkos-${index_sha256}" 0 23 index_entry)
  string(SUBSTRING "kokkos-${ABAX_KOKKOS_SHA256}" 0 23 release_entry)
  if(NOT kokkos_source AND (ABAX_KOKKOS_URL OR NOT IS_DIRECTORY "${ABAX_CACHE_DIR}/${index_entry}"))
    set(url "${ABAX_KOKKOS_URL}")
    if(NOT url)
      set(url "https://github.com/kokkos/kokkos/releases/download/4.7.04/kokkos-4.7.04.tar.gz")
    endif()
    abax_fetch(kokkos_source problem ${release_entry} abax_produce_archive "${url}" ${ABAX_KOKKOS_SHA256})
    string(APPEND tried "\n   2. the release archive: ${problem}")
    if(problem)
      message(STATUS "Kokkos: no release archive (${problem}), so from the package index")
    endif()
  endif()
  # 3. The package index.
  if(NOT kokkos_source)
    abax_fetch(kokkos_source problem ${index_entry} abax_produce_kokkos_from_index ${index_sha256})
    string(APPEND tried "\n   3. the Python package index: ${problem}")
  endif()
  if(NOT kokkos_source)
    message(FATAL_ERROR
      " Kokkos is not installed and could not be fetched. Tried:\n   ${tried}\n"
      " Any one of these helps:\n"
      "   - install Kokkos 4.7 to 5.x and pass -DKokkos_ROOT=PREFIX\n"
      "   - unpack its source anywhere and pass -DFETCHCONTENT_SOURCE_DIR_KOKKOS=FOLDER\n"
      "   - bring its release archive here and pass -DABAX_KOKKOS_URL=file:///PATH/kokkos-4.7.04.tar.gz\n"
      "   - copy the cache of a machine that has built Abax to ${ABAX_CACHE_DIR}, or pass -DABAX_CACHE_DIR=FOLDER\n")
  endif()

  find_package(OpenMP QUIET COMPONENTS CXX)
  set(Kokkos_ENABLE_OPENMP ${OpenMP_CXX_FOUND} CACHE BOOL "Kokkos' OpenMP backend")
  set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "Kokkos' serial backend")
  if(Kokkos_ENABLE_CUDA)
    # nvcc as a compiler of its own beside the host's, not behind a wrapper in its place: so sources without device
    # code stay with the host compiler.
    set(Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE ON CACHE BOOL "Build Kokkos as CMake's language CUDA")
    abax_choose_gpu()
  endif()
endif()

set(ABAX_KOKKOS_CUDA "${Kokkos_ENABLE_CUDA}")
set(ABAX_KOKKOS_LANGUAGE CXX)
set(ABAX_KOKKOS_WRAPS_NVCC OFF)
if(ABAX_KOKKOS_CUDA AND Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE)
  set(ABAX_KOKKOS_LANGUAGE CUDA)
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "The compiler behind nvcc")
elseif(ABAX_KOKKOS_CUDA AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(ABAX_KOKKOS_WRAPS_NVCC ON)
endif()
if(ABAX_KOKKOS_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA${CMAKE_CXX_STANDARD}_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA_STANDARD ${CMAKE_CXX_STANDARD})
    set(CMAKE_CUDA_EXTENSIONS OFF)
  else() # CMake before 3.25.2 does not know how nvcc is told C++20
    string(APPEND CMAKE_CUDA_FLAGS " -std=c++${CMAKE_CXX_STANDARD}")
  endif()
endif()

if(NOT TARGET Kokkos::kokkos)
  if(ABAX_KOKKOS_CUDA)
    file(READ "${kokkos_source}/CMakeLists.txt" text)
    set(version "")
    foreach(part IN ITEMS MAJOR MINOR PATCH)
      if(text MATCHES "set\\(Kokkos_VERSION_${part} ([0-9]+)\\)")
        list(APPEND version ${CMAKE_MATCH_1})
      endif()
    endforeach()
    list(JOIN version "." version)
    abax_nvcc_version(nvcc)
    abax_needs_legacy_views(needed "${version}" "${nvcc}")
    if(needed) # also in a build folder whose cache says otherwise
      set(Kokkos_ENABLE_IMPL_VIEW_LEGACY ON CACHE BOOL "Kokkos' View without mdspan" FORCE)
    endif()
  endif()
  set(without_installing EXCLUDE_FROM_ALL)
  if(ABAX_INSTALL)
    set(without_installing "")
  endif()
  add_subdirectory("${kokkos_source}" "${PROJECT_BINARY_DIR}/kokkos" SYSTEM ${without_installing})
  get_directory_property(Kokkos_VERSION DIRECTORY "${kokkos_source}" DEFINITION Kokkos_VERSION)
  if(ABAX_JOIN_SOURCES) # each of Kokkos' two dozen takes little but the time to read its headers
    get_target_property(sources kokkoscore SOURCES)
    set(kept ${sources})
    list(FILTER kept EXCLUDE REGEX "\\.cpp$")
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN sources "" text)
    set(joined "${PROJECT_BINARY_DIR}/kokkos/joined.cpp")
    file(CONFIGURE OUTPUT "${joined}" CONTENT "${text}" @ONLY)
    set_target_properties(kokkoscore PROPERTIES SOURCES "${joined};${kept}")
    set_source_files_properties("${joined}" TARGET_DIRECTORY kokkoscore PROPERTIES LANGUAGE ${ABAX_KOKKOS_LANGUAGE})
  endif()
  message(STATUS "Kokkos ${Kokkos_VERSION}: built from ${kokkos_source}")
endif()
set(ABAX_KOKKOS_VERSION "${Kokkos_VERSION}")
if(ABAX_KOKKOS_CUDA)
  set(where "of the project around Abax")
  set(instead "")
  if(Kokkos_FOUND)
    set(where "in ${Kokkos_DIR}")
    set(instead ", or let Abax build its own with -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON")
  endif()
  abax_check_kokkos_views(problem "${where}")
  if(problem)
    message(FATAL_ERROR " ${problem}${instead}.")
  endif()
endif()
