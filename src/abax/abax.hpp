// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// All of Abax' public interface.
#include "abax/dot.hpp"
#include "abax/error.hpp"
#include "abax/gemm.hpp"
#include "abax/gemm_batched.hpp"
#include "abax/gemm_integer.hpp"
#include "abax/gemmt.hpp"
#include "abax/gemv.hpp"
#include "abax/linalg.hpp"
#include "abax/probe.hpp"
#include "abax/reductions.hpp"
#include "abax/stream.hpp"
#include "abax/transpose.hpp"
#include "abax/version.h"
