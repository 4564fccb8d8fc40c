// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The kernels themselves, for execution spaces that the library is not compiled for: Serial, Threads, HIP, SYCL. They
/// are compiled in the unit that includes this, which therefore must not be compiled with fast-math.
#include "abax/detail/launch/available.hpp"
#include "abax/detail/launch/batch_def.hpp"
#include "abax/detail/launch/gemm_bytes_def.hpp"
#include "abax/detail/launch/gemm_def.hpp"
#include "abax/detail/launch/gemm_integer_def.hpp"
#include "abax/detail/launch/gemv_def.hpp"
#include "abax/detail/launch/probe_def.hpp"
#include "abax/detail/launch/reduction_def.hpp"
#include "abax/detail/launch/stream_def.hpp"
#include "abax/detail/launch/transpose_def.hpp"

namespace abax::launch {

template <class Exec, class T>
struct templates {};

}  // namespace abax::launch
