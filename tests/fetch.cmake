# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests backends/fetch.cmake without a network: cmake -D FOLDER=... -P fetch.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
set(ABAX_CACHE_DIR "${FOLDER}/cache")
include("${CMAKE_CURRENT_LIST_DIR}/../backends/fetch.cmake")

function(expect what)
  cmake_language(EVAL CODE "if(${ARGN})\nset(met ON)\nendif()")
  if(NOT met)
    message(SEND_ERROR "${what}: expected ${ARGN} (result '${result}', problem '${problem}')")
  endif()
endfunction()

# An archive with one folder in it, as a release is.
file(WRITE "${FOLDER}/release-1.0/file" "content")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar czf release.tar.gz release-1.0 WORKING_DIRECTORY "${FOLDER}")
file(SHA256 "${FOLDER}/release.tar.gz" hash)
set(url "file://${FOLDER}/release.tar.gz")

abax_fetch(result problem wrong abax_produce_archive "${url}" 0123)
expect("a wrong hash is refused" "NOT result AND problem MATCHES \"has SHA-256 ${hash}, not 0123\"")
expect("and leaves nothing behind" "NOT EXISTS \"${ABAX_CACHE_DIR}/wrong\"")

abax_fetch(result problem missing abax_produce_archive "${url}.missing" ${hash})
expect("a missing file is reported" "NOT result AND problem MATCHES missing")

abax_fetch(result problem release abax_produce_archive "${url}" ${hash})
expect("the right hash is unpacked" "result AND NOT problem AND EXISTS \"\${result}/file\"")

# Nobody listens on port 1, so this is what a closed network looks like at its quickest.
abax_fetch(result problem release abax_produce_archive "http://127.0.0.1:1/release.tar.gz" ${hash})
expect("what is in the cache is not fetched again" "EXISTS \"\${result}/file\"")
abax_fetch(result problem other abax_produce_archive "http://127.0.0.1:1/release.tar.gz" ${hash})
expect("an unreachable server is reported" "NOT result AND problem MATCHES \"127.0.0.1:1\"")

set(ABAX_DOWNLOAD OFF)
abax_fetch(result problem other abax_produce_archive "http://127.0.0.1:1/release.tar.gz" ${hash})
expect("ABAX_DOWNLOAD=OFF fetches nothing" "NOT result AND problem MATCHES ABAX_DOWNLOAD")
abax_fetch(result problem local abax_produce_archive "${url}" ${hash})
expect("but a local archive is no download" "EXISTS \"\${result}/file\"")
set(ABAX_DOWNLOAD ON)

# Four configures at once, one cache: each gets the whole tree.
file(REMOVE_RECURSE "${ABAX_CACHE_DIR}")
file(WRITE "${FOLDER}/one.cmake" "cmake_minimum_required(VERSION 3.25)
set(ABAX_CACHE_DIR \"${ABAX_CACHE_DIR}\")
include(\"${CMAKE_CURRENT_LIST_DIR}/../backends/fetch.cmake\")
abax_fetch(result problem release abax_produce_archive \"${url}\" ${hash})
if(NOT EXISTS \"\${result}/file\")
  message(FATAL_ERROR \"\${problem}\")
endif()
")
set(one COMMAND "${CMAKE_COMMAND}" -P "${FOLDER}/one.cmake")
execute_process(${one} ${one} ${one} ${one} RESULTS_VARIABLE results)
list(REMOVE_DUPLICATES results)
expect("configures at once do not disturb each other" "\"${results}\" STREQUAL 0")
file(GLOB left "${ABAX_CACHE_DIR}/.incoming-*")
expect("and leave nothing half done" "\"${left}\" STREQUAL \"\"")
