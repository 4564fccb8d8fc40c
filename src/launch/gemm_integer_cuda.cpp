// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes on a GPU. Where Kokkos is built for Hopper, CMakeLists.txt compiles this file alone for sm_90a,
// which has wgmma and whose code runs on no other GPU, and for other GPUs as PTX; and says so by ABAX_SM90A.
#include "abax/detail/launch/gemm_bytes_def.hpp"
#include "abax/detail/launch/gemm_integer_def.hpp"

namespace abax {

#ifdef ABAX_SM90A
bool cuda::has_wgmma(const machine& m) { return m.is_hopper; }
#else
bool cuda::has_wgmma(const machine&) { return false; }
#endif

namespace launch {

template struct kernel_rows<cuda::backend, tile::residue_product>;
template struct kernel_rows<cuda::backend, tile::byte_product>;

}  // namespace launch
}  // namespace abax
