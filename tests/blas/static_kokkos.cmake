# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libabax_blas.so beside an installed Kokkos that is a static library: refused at once where that cannot be linked into
# a shared one. The Kokkos here is a stand-in: as much of one as configuring looks at.
# cmake -D SOURCE=... -D FOLDER=... -D GENERATOR=... -D COMPILER=... -P static_kokkos.cmake
file(REMOVE_RECURSE "${FOLDER}")
file(WRITE "${FOLDER}/source/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(Kokkos VERSION 4.7.0 LANGUAGES CXX)
add_library(kokkoscore STATIC core.cpp)
target_compile_options(kokkoscore PRIVATE \${FLAG})
install(TARGETS kokkoscore EXPORT KokkosTargets DESTINATION lib)
add_library(kokkos INTERFACE)
target_link_libraries(kokkos INTERFACE kokkoscore)
install(TARGETS kokkos EXPORT KokkosTargets)
install(EXPORT KokkosTargets NAMESPACE Kokkos:: DESTINATION lib/cmake/Kokkos)
file(WRITE \"\${CMAKE_BINARY_DIR}/KokkosConfig.cmake\"
     \"include(\\\${CMAKE_CURRENT_LIST_DIR}/KokkosTargets.cmake)\\nset(Kokkos_DEVICES OPENMP)\\n\")
include(CMakePackageConfigHelpers)
write_basic_package_version_file(KokkosConfigVersion.cmake COMPATIBILITY AnyNewerVersion)
install(FILES \"\${CMAKE_BINARY_DIR}/KokkosConfig.cmake\" \"\${CMAKE_BINARY_DIR}/KokkosConfigVersion.cmake\"
        DESTINATION lib/cmake/Kokkos)
")
file(WRITE "${FOLDER}/source/core.cpp" "
namespace Kokkos {
bool started = false;
bool is_initialized() noexcept { return started; }
}
")
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(flag IN ITEMS -fno-pic -fPIC)
  set(here "${FOLDER}/${flag}")
  set(options -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}")
  run("${CMAKE_COMMAND}" -S "${FOLDER}/source" -B "${here}/kokkos" ${options} "-DFLAG=${flag}"
      "-DCMAKE_INSTALL_PREFIX=${here}/prefix")
  run("${CMAKE_COMMAND}" --build "${here}/kokkos" --target install)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${here}/abax" ${options} -DABAX_BLAS=ON -DABAX_TESTS=OFF
                          -DABAX_PERF=OFF "-DKokkos_ROOT=${here}/prefix"
                  OUTPUT_QUIET ERROR_VARIABLE error RESULT_VARIABLE status)
  if(flag STREQUAL "-fPIC" AND NOT status EQUAL 0)
    message(FATAL_ERROR "a static Kokkos of position-independent code was refused: ${error}")
  elseif(flag STREQUAL "-fno-pic" AND NOT error MATCHES "without position-independent code")
    message(FATAL_ERROR "a static Kokkos that no shared library can hold: ${status} ${error}")
  endif()
endforeach()
