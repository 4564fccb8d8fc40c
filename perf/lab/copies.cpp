// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "copies": how fast memory of each kind crosses the bus, and how streams let copies and kernels overlap.
#include <abax/stream.hpp>

#include "arrays.hpp"
#include "figures.hpp"

namespace abax::lab {
namespace {

/// Memory to memory, where the host is all there is.
void run_host(const settings& how, experiment_result& result) {
  constexpr float increase = 0.5F;
  const index_t n = how.small() ? 1 << 20 : 16 << 20;
  const array<host> from = inputs<host>(1, n), to = uninitialised<array<host>>(n), x = inputs<host>(1, n);
  bench all(how, backend::host, result);
  const auto add = [&](const char* name, const array<host>& out, float more, const std::function<void()>& run) {
    const auto right = [&] { return require<host>(out.data(), n, input_of{1, more}); };
    all.add(name, "portable", run, right, {{"bytes", 8.0 * static_cast<double>(n)}});
  };
  poison(to);
  add("copy, deep_copy", to, 0, [=] { Kokkos::deep_copy(host(), to, from); });
  poison(to);
  add("copy, abax::copy", to, 0, [=] { abax::copy(host(), from, to); });
  add("increment", x, increase, [=] { abax::increment(host(), increase, x); });
  result.draw(bars({std::to_string(n) + " floats within the host's memory",
                    "There is no bus to cross here: a kernel finds its data where they are. A copy costs as much as "
                    "any kernel that reads and writes as much."},
                   bars_of(all.finish(), rate_of("bytes")), "GB/s, read and written"));
}

}  // namespace

void run_copies(const settings& how, experiment_result& result) {
  result.text = {
      "Before a GPU computes, it must reach its operands. Page-locked memory the device can address itself; pageable "
      "memory passes through a page-locked buffer; mapped memory is not copied at all: each access of a kernel crosses "
      "the bus. In pitched memory every row of a matrix begins on a line of its own.",
      "Work that is put into one stream is done in order; work in two streams may overlap. Time on the device is "
      "measured between events, which the device records as the stream reaches them.",
      "An asynchronous copy from pageable memory returns only when the host's buffer has been read. Classic texts that "
      "time it as asynchronous, or that stop a host clock without waiting for the device, measure the call."};
  result.left_out.push_back(
      "On the host: a bus to cross, and streams. Its copies stay within its memory, and its teams take all threads.");
  if (how.wants(backend::host)) run_host(how, result);
  if constexpr (has_gpu)
    if (how.wants(backend::device)) run_device_copies(how, result);
}

}  // namespace abax::lab
