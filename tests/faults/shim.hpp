// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Faults that a test asks for. A program that holds shim.cpp has its own malloc and pthread_create, which serve all
/// that it loads: operator new, OpenMP, the C library itself.

namespace abax::tests::faults {

/// The last four are a GPU's, for programs that hold device_shim.cpp.
enum class resource { memory, threads, device_memory, launches, queues, orders };

/// From here on the nth request of the process for `of` is refused, counted from 1; `lasting`: and all after it.
void refuse(resource of, long nth, bool lasting);
/// No more; returns how many requests have been refused.
long serve_all();

/// For a shim: whether this request is to be refused.
bool is_refused(resource of);

/// Blocks of memory that have been allocated, less those that have been freed.
long live_blocks();
/// The same for blocks, streams, events and pools of a GPU, where there is device_shim.cpp.
long live_on_device();

}  // namespace abax::tests::faults
