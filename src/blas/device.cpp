// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines that are over as soon as their operands have been read: operands are brought, computed with, and taken back.
#include "device.hpp"

#include <vector>

#include "../c/verbose.hpp"
#include "lanes.hpp"

namespace abax::blas::device {

struct session::state {
  const char* routine;
  turn mine;
  std::byte* free_memory = nullptr;
  struct result {
    lines from, to;
  };
  std::vector<result> results;
};

session::session(std::unique_ptr<state> mine) : state_(std::move(mine)) {}
session::~session() = default;

std::unique_ptr<session> session::begin(const char* routine, std::initializer_list<memory_range> operands) {
  const target chosen = target_of_call();
  if (chosen == target::host) return nullptr;
  bool any_on_device = false;
  std::size_t bytes = 0;
  for (const memory_range& o : operands) {
    const residence lies = where(o.data);
    any_on_device |= cuda::is_on_a_device(lies);
    if (lies != residence::here) bytes += (o.bytes + 255) / 256 * 256;
  }
  if (!any_on_device && chosen != target::device) return nullptr;
  try {
    auto mine = std::make_unique<state>();
    mine->routine = routine;
    mine->free_memory = mine->mine->memory.reserve(bytes);
    return std::unique_ptr<session>(new session(std::move(mine)));
  } catch (const std::bad_alloc&) {
    if (any_on_device) end_program(routine, "no memory on the device");
    return nullptr;
  } catch (const std::exception& error) {
    end_program(routine, error.what());
  }
}

abax_stream* session::stream() const { return state_->mine->queues[0].stream; }

bool session::is_here(const void* data) const { return where(data) == residence::here; }

void* session::copy(const void* data, std::size_t length, std::size_t count, std::size_t pitch, access needed) {
  const lines there = lines_of(data, length, count, pitch);
  const lines here = lines_of(state_->free_memory, length, count, length);
  state_->free_memory += (length * count + 255) / 256 * 256;
  if (c::told_call* const told = c::call_being_told()) told->staged = true;
  or_end(state_->routine, [&] {
    if (needed != access::write) cuda::copy_on(state_->mine->queues[0].native, there, here);
  });
  if (needed != access::read) state_->results.push_back({here, there});
  return here.data;
}

void session::finish() {
  or_end(state_->routine, [&] {
    const cudaStream_t stream = state_->mine->queues[0].native;
    for (const auto& [from, to] : state_->results) cuda::copy_on(stream, from, to);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
}

bool visit_on_host(void* data, std::size_t length, std::size_t count, std::size_t pitch,
                   const std::function<void(void*)>& visit) {
  if (target_of_call() == target::host || !cuda::is_on_a_device(where(data))) return false;
  or_end("copy to the host", [&] {
    const turn mine;
    const cudaStream_t stream = mine->queues[0].native;
    std::vector<std::byte> copy(length * count);
    const lines there = lines_of(data, length, count, pitch), here = lines_of(copy.data(), length, count, length);
    cuda::copy_on(stream, there, here);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    visit(copy.data());
    cuda::copy_on(stream, here, there);
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  return true;
}

}  // namespace abax::blas::device
