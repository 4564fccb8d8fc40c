// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "copies": how fast memory of each kind crosses the bus, and how streams let copies and kernels overlap.
#include "copies.hpp"

#include <Kokkos_Core.hpp>
#include <abax/stream.hpp>

#include "runs.hpp"

namespace abax::lab {

using namespace copies;

namespace {

/// Memory to memory, where the host is all there is.
void run_host(const settings& how, experiment_result& result) {
  const index_t n = small(how) ? 1 << 20 : 16 << 20;
  const array<host> from = random_floats<host>("from", 1, n), to = poisoned<host>("to", n);
  rungs all(how, backend::host, result);
  const auto add = [&](const char* name, double bytes, std::function<void()> run, const float* found, float more) {
    case_result c = case_of<host>(experiment_name, name, "portable");
    c.given["bytes"] = bytes * static_cast<double>(n);
    all.add(c, std::move(run), [&] {
      require_floats(c, found, n, more);
      return std::string("bits of every element");
    });
  };
  add(
      "copy, deep_copy", 8, [=] { Kokkos::deep_copy(host(), to, from); }, to.data(), 0);
  poison<host>(to);
  add(
      "copy, abax::copy", 8, [=] { abax::copy(host(), from, to); }, to.data(), 0);
  const array<host> x = random_floats<host>("x", 1, n);
  add(
      "increment", 8, [=] { abax::increment(host(), increase, x); }, x.data(), increase);
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  result.figures.push_back(bars({std::to_string(n) + " floats within the host's memory",
                                 "There is no bus to cross here: a kernel finds its data where they are. A copy costs "
                                 "as much as any kernel that reads and writes as much."},
                                rate_bars(cases, "bytes"), "GB/s, read and written"));
}

}  // namespace

void run_copies(const settings& how, experiment_result& result) {
  result.text = {
      "Before a GPU computes, its operands must reach it. Page-locked memory is what the device can address itself; "
      "pageable memory passes through a page-locked buffer; mapped memory is not copied at all: each access of a "
      "kernel crosses the bus; pitched memory lets every row of a matrix begin on a line of its own.",
      "A stream is an order: what is put into one happens one after the other, what is put into two may overlap. Time "
      "on the device is measured between events, which the device itself records as the stream passes them.",
      "An asynchronous copy from pageable memory is not one: the call returns when the host's buffer has been read. "
      "Classic texts that time it so, or that stop a host clock without waiting for the device, measure the call."};
  if (how.wants(backend::host)) {
    run_host(how, result);
    result.left_out.push_back(
        "On the host: a bus to cross, and streams. Its copies stay within its memory, and its teams take all threads.");
  }
#if defined(KOKKOS_ENABLE_CUDA)
  if (how.wants(backend::device)) {
    run_device_copies(how, result);
  }
#else
  result.left_out.push_back(
      "Page-locked, mapped and pitched memory, streams and their timeline: this build has no GPU backend.");
#endif
}

}  // namespace abax::lab
