# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What abax-perf does not write itself: the parser of its command line, the writer of its results, and what knows a
# machine's caches and NUMA nodes.
include("${CMAKE_CURRENT_LIST_DIR}/../backends/fetch.cmake")

abax_dependency(NAME CLI11 VERSION 2.1 TARGET CLI11::CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  SHA256 f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a
  DEBIAN libcli11-dev
  HASHES f1f6ee9ec053e0e0bcec47345e241b6a8ee006321248b4329e9ce88d2b4b64a8
  WITHOUT -DABAX_PERF=OFF)
abax_dependency(NAME nlohmann_json VERSION 3.10 TARGET nlohmann_json::nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  SHA256 d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  DEBIAN nlohmann-json3-dev
  HASHES ec57940def6b6186c30be0e0ee81d1e58f86d11a54a145b28686a1e3e4aae801
  WITHOUT -DABAX_PERF=OFF)

# Optional: without it `abax-perf devices` says that caches and NUMA nodes are not known, and which package knows them.
find_path(ABAX_HWLOC_INCLUDE hwloc.h)
find_library(ABAX_HWLOC_LIBRARY hwloc)
mark_as_advanced(ABAX_HWLOC_INCLUDE ABAX_HWLOC_LIBRARY)
set(ABAX_HWLOC "")
if(ABAX_HWLOC_INCLUDE AND ABAX_HWLOC_LIBRARY)
  file(STRINGS "${ABAX_HWLOC_INCLUDE}/hwloc.h" version REGEX "define HWLOC_API_VERSION 0x")
  if(version MATCHES "0x000(0?[2-9][0-9a-f]+)")
    set(ABAX_HWLOC "${ABAX_HWLOC_LIBRARY}")
  endif()
endif()
if(NOT ABAX_HWLOC)
  message(STATUS "No hwloc 2 (Debian: libhwloc-dev): abax-perf does not know caches and NUMA nodes")
endif()
