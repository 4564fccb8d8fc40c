// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Faults that a test asks for. A program that holds shim.cpp has its own malloc and pthread_create, which serve all
/// that it loads: operator new, OpenMP, the C library itself.

namespace abax::tests::faults {

enum class resource { memory, threads };

/// From here on the nth request of the process for `of` is refused, counted from 1; `lasting`: and all after it.
void refuse(resource of, long nth, bool lasting);
/// No more; returns how many requests have been refused.
long serve_all();

/// Blocks of memory that have been allocated, less those that have been freed.
long live_blocks();

}  // namespace abax::tests::faults
