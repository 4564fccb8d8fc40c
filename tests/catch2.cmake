# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where Catch2 comes from: installed, else the official release, else Debian's backports.
include("${CMAKE_CURRENT_LIST_DIR}/../backends/fetch.cmake")

set(ABAX_CATCH2_URL "" CACHE STRING "Catch2's release archive elsewhere: on a mirror, or file:///...")
set(ABAX_CATCH2_SHA256 c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c
    CACHE STRING "The SHA-256 of Catch2's release archive")
mark_as_advanced(ABAX_CATCH2_URL ABAX_CATCH2_SHA256)

# Producer: Catch2 3.7.1, compiled by Debian, as a tree to look for the package in.
function(abax_produce_catch2_from_debian error folder)
  set(amd64 1dbb62ed9f177e1cf51e573903cc553241764bd3b6655f5a98889ad361d008dc)
  set(arm64 8b1fc3ea6458ebf82a0cf78a33839643d23cd929f1e17deb724feb02c677c052)
  abax_apt_unpack(problem "${folder}" libcatch2-dev -backports)
  if(NOT problem)
    file(GLOB deb "${folder}/*.deb")
    abax_check_hash(problem "${deb}" ${amd64} ${arm64})
  endif()
  set(${error} "${problem}" PARENT_SCOPE)
endfunction()

# 1. Installed, or brought by a project around Abax.
set(catch2_source "${FETCHCONTENT_SOURCE_DIR_CATCH2}")
if(NOT TARGET Catch2::Catch2 AND NOT catch2_source)
  find_package(Catch2 3 CONFIG QUIET)
  if(NOT Catch2_FOUND)
    set(tried "1. an installed package: none of version 3")
    foreach(config version IN ZIP_LISTS Catch2_CONSIDERED_CONFIGS Catch2_CONSIDERED_VERSIONS)
      string(APPEND tried ", ${version} in ${config}")
    endforeach()
  endif()
endif()

if(NOT TARGET Catch2::Catch2)
  # 2. The release, unless this machine has turned to Debian before: no new build folder waits for a time-out again.
  set(debian_entry "catch2-debian-${CMAKE_SYSTEM_PROCESSOR}")
  string(SUBSTRING "catch2-${ABAX_CATCH2_SHA256}" 0 23 release_entry)
  if(NOT catch2_source AND (ABAX_CATCH2_URL OR NOT IS_DIRECTORY "${ABAX_CACHE_DIR}/${debian_entry}"))
    set(url "${ABAX_CATCH2_URL}")
    if(NOT url)
      set(url "https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz")
    endif()
    abax_fetch(catch2_source problem ${release_entry} abax_produce_archive "${url}" ${ABAX_CATCH2_SHA256})
    string(APPEND tried "\n   2. the release archive: ${problem}")
    if(problem)
      message(STATUS "Catch2: no release archive (${problem}), so from Debian's backports")
    endif()
  endif()
  if(catch2_source)
    add_subdirectory("${catch2_source}" "${PROJECT_BINARY_DIR}/catch2" SYSTEM EXCLUDE_FROM_ALL)
    list(APPEND CMAKE_MODULE_PATH "${catch2_source}/extras")
    message(STATUS "Catch2: built from ${catch2_source}")
  else()
    # 3. Debian's backports.
    abax_fetch(catch2_prefix problem ${debian_entry} abax_produce_catch2_from_debian)
    string(APPEND tried "\n   3. Debian's backports: ${problem}")
    if(catch2_prefix)
      find_package(Catch2 3 CONFIG REQUIRED PATHS "${catch2_prefix}/usr" NO_DEFAULT_PATH)
    endif()
  endif()
endif()
if(Catch2_FOUND)
  message(STATUS "Catch2 ${Catch2_VERSION}: installed in ${Catch2_DIR}")
endif()

if(NOT TARGET Catch2::Catch2)
  message(FATAL_ERROR
    " Catch2 3 is not installed and could not be fetched. Tried:\n   ${tried}\n"
    " Any one of these helps:\n"
    "   - build without tests: -DABAX_TESTS=OFF\n"
    "   - install Catch2 3 and pass -DCatch2_ROOT=PREFIX\n"
    "   - unpack its source anywhere and pass -DFETCHCONTENT_SOURCE_DIR_CATCH2=FOLDER\n"
    "   - bring its release archive here and pass -DABAX_CATCH2_URL=file:///PATH/v3.7.1.tar.gz\n"
    "   - copy the cache of a machine that has built Abax to ${ABAX_CACHE_DIR}, or pass -DABAX_CACHE_DIR=FOLDER\n")
endif()
include(Catch)
