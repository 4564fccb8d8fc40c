# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where Catch2 comes from.
include("${CMAKE_CURRENT_LIST_DIR}/../backends/fetch.cmake")

abax_dependency(NAME Catch2 VERSION 3 TARGET Catch2::Catch2
  URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
  SHA256 c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c
  DEBIAN libcatch2-dev/-backports
  HASHES 1dbb62ed9f177e1cf51e573903cc553241764bd3b6655f5a98889ad361d008dc  # amd64
         8b1fc3ea6458ebf82a0cf78a33839643d23cd929f1e17deb724feb02c677c052  # arm64
  WITHOUT -DABAX_TESTS=OFF)
list(APPEND CMAKE_MODULE_PATH ${Catch2_EXTRAS})
include(Catch)
