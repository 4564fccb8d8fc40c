# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests backends/licences.cmake on made-up sources and prefixes: cmake -D FOLDER=... -P licences.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../backends/licences.cmake")
file(REMOVE_RECURSE "${FOLDER}")

function(make)
  foreach(file IN LISTS ARGN)
    file(WRITE "${FOLDER}/${file}" "")
  endforeach()
endfunction()
function(expect_licences what source package)
  abax_licences(files "${source}" "${package}" libthing-dev thing)
  list(TRANSFORM files REPLACE "^${FOLDER}/" "")
  list(SORT files)
  if(NOT files STREQUAL "${ARGN}")
    message(SEND_ERROR "${what}: expected '${ARGN}', found '${files}'")
  endif()
endfunction()

# Sources: one file, several, a folder of them, and none.
set(source "${FOLDER}/source")
make(source/one/LICENSE source/one/LICENSE_FILE_HEADER source/one/src/LICENSE
     source/many/LICENSE.MIT source/many/LICENSES/BSD.txt source/many/COPYING source/none/README)
expect_licences("a source with one licence" "${source}/one" "" source/one/LICENSE)
expect_licences("a source with several" "${source}/many" ""
                source/many/COPYING source/many/LICENSE.MIT source/many/LICENSES/BSD.txt)
expect_licences("a source without" "${source}/none" "")

# Prefixes: Debian's, where others lie beside it, one with a licence of its own on top, and one folder a library.
foreach(prefix IN ITEMS debian/usr shared own)
  make(${prefix}/lib/cmake/thing/thing-config.cmake ${prefix}/LICENSE ${prefix}/LICENSES/other
       ${prefix}/share/doc/libother-dev/copyright ${prefix}/share/licenses/other/LICENSE)
endforeach()
make(debian/usr/share/doc/libthing-dev/copyright own/share/licenses/thing/LICENSE.MIT own/share/licenses/thing/NOTICE)
expect_licences("Debian's package" "" "${FOLDER}/debian/usr/lib/cmake/thing"
                debian/usr/share/doc/libthing-dev/copyright)
expect_licences("a prefix that others share" "" "${FOLDER}/shared/lib/cmake/thing")
expect_licences("a prefix with a folder for each" "" "${FOLDER}/own/lib/cmake/thing"
                own/share/licenses/thing/LICENSE.MIT own/share/licenses/thing/NOTICE)
expect_licences("a source, and not what is installed" "${source}/none" "${FOLDER}/own/lib/cmake/thing")
