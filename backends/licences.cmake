# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where the licence of a library lies that Abax' programs and libraries hold.
include_guard(GLOBAL)

# Sets `result` to the files of the licence: of the library's `source`, if there is one; else of the installed library
# whose CMake package lies in `package`, if its prefix has them in a folder of one of its names (ARGN). A licence that
# stands anywhere else in a prefix may be another library's, and is left there.
function(abax_licences result source package)
  set(files "")
  if(source)
    file(GLOB files LIST_DIRECTORIES false "${source}/LICEN[CS]E" "${source}/LICEN[CS]E.*" "${source}/COPYING"
                                           "${source}/COPYING.*" "${source}/LICENSES/*")
    set(package "")
  endif()
  set(folder "${package}")
  while(folder AND NOT files)
    foreach(name IN LISTS ARGN)
      set(share "${folder}/share")
      file(GLOB found LIST_DIRECTORIES false "${share}/licenses/${name}/*" "${share}/doc/${name}/LICEN[CS]E*"
                                             "${share}/doc/${name}/copyright" "${share}/${name}/copyright")
      list(APPEND files ${found})
    endforeach()
    cmake_path(GET folder PARENT_PATH parent)
    if(parent STREQUAL folder)
      break()
    endif()
    set(folder "${parent}")
  endwhile()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()
