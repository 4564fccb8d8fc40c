// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of experiment "copies": memory of each kind across the bus, and streams.
#include <abax/stream.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "../suite/timing.hpp"
#include "arrays.hpp"
#include "figures.hpp"
#include "handwritten/check.hpp"
#include "handwritten/handwritten.hpp"
#include "handwritten/lab/ladders.hpp"

namespace abax::lab {
namespace {

using handwritten::check, handwritten::lab::copy_bytes;
using Space = Kokkos::Cuda;
constexpr float increase = 0.5F;

/// Fills a view with operand 1.
template <class View>
void reset(const View& x) {
  fill<typename View::execution_space>(x.data(), static_cast<index_t>(x.size()), input_of{1});
}

void run_crossings(const settings& how, experiment_result& result, index_t n) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(n);
  const auto x = uninitialised<array<Space>>(n);
  const auto pageable = uninitialised<array<host>>(n);
  const auto pinned = uninitialised<pinned_array>(n), back = uninitialised<pinned_array>(n);
  bench all(how, backend::device, result);

  const auto add_copies = [&](const std::string& way, const auto& to, const auto& from, bool locked) {
    const auto add = [&](const std::string& call, const char* variant, const std::function<void()>& run) {
      reset(from);
      poison(to);
      using memory = typename std::decay_t<decltype(to)>::execution_space;
      const auto right = [&] { return require<memory>(to.data(), n, input_of{1}); };
      all.add(way + (locked ? "/page-locked" : "/pageable") + call, variant, run, right,
              {{"bytes", static_cast<double>(bytes)}}, timed_by::host);
    };
    if (locked) {
      add(", asynchronous", "portable", [=] { Kokkos::deep_copy(Space(), to, from); });
      add(", asynchronous", "handwritten", [=] { copy_bytes(to.data(), from.data(), bytes, stream<Space>()); });
    } else {
      add("", "portable", [=] { Kokkos::deep_copy(to, from); });
    }
    add("", "handwritten", [=] { check(cudaMemcpy(to.data(), from.data(), bytes, cudaMemcpyDefault), "cudaMemcpy"); });
  };
  add_copies("to the device", x, pageable, false);
  add_copies("to the device", x, pinned, true);
  add_copies("to the host", pageable, x, false);
  add_copies("to the host", pinned, x, true);

  // Rows of 1000 floats: each begins on a new line if the rows lie a pitch apart.
  const index_t width = 1000, height = n / width;
  const std::size_t row = sizeof(float) * static_cast<std::size_t>(width);
  std::size_t pitch = 0;
  void* memory = nullptr;
  check(cudaMallocPitch(&memory, &pitch, row, static_cast<std::size_t>(height)), "cudaMallocPitch");
  const std::unique_ptr<float, cudaError_t (*)(void*)> owner(static_cast<float*>(memory), cudaFree);
  float* const rows = owner.get();
  const auto copy_rows = [=](void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch) {
    check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row, static_cast<std::size_t>(height), cudaMemcpyDefault,
                            stream<Space>()),
          "cudaMemcpy2DAsync");
  };
  const auto require_rows = [&](float more) {
    copy_rows(back.data(), row, rows, pitch);
    Space().fence();
    return require<host>(back.data(), width * height, input_of{1, more}) + ", copied back";
  };
  reset(pinned);
  all.add(
         "to the device/pitched rows from page-locked memory", "handwritten",
         [=] { copy_rows(rows, pitch, pinned.data(), row); }, [&] { return require_rows(0); },
         {{"bytes", 4.0 * static_cast<double>(width * height)}}, timed_by::host)
      .notes["pitch"] = std::to_string(pitch) + " bytes for rows of " + std::to_string(row);

  // The kernels, on memory of each kind. Their output is checked once, before they are repeated.
  const auto add_kernel = [&](const std::string& kind, const char* variant, index_t elements,
                              const std::function<void()>& run, const std::function<std::string()>& right) {
    all.add("increment/" + kind, variant, run, right, {{"bytes", 8.0 * static_cast<double>(elements)}});
  };
  const auto right_at = [&](const auto& y, float* at) {
    return [=] { return require<typename std::decay_t<decltype(y)>>(at, n, input_of{1, increase}); };
  };
  const auto mapped_by_kokkos = uninitialised<pinned_array>(n);
  handwritten::mapped_array<float> mapped(n);
  reset(mapped_by_kokkos);
  fill<host>(mapped.host(), n, input_of{1});
  reset(x);
  add_kernel(
      "device memory", "portable", n, [=] { abax::increment(Space(), increase, x); }, right_at(Space(), x.data()));
  reset(x);
  add_kernel(
      "device memory", "handwritten", n, [=] { handwritten::increment(n, increase, x.data(), stream<Space>()); },
      right_at(Space(), x.data()));
  add_kernel(
      "pitched rows", "handwritten", width * height,
      [=] { handwritten::lab::increment_pitched(width, height, pitch, increase, rows, stream<Space>()); },
      [&] { return require_rows(increase); });
  add_kernel(
      "mapped host memory", "portable", n, [=] { abax::increment(Space(), increase, mapped_by_kokkos); },
      right_at(host(), mapped_by_kokkos.data()));
  add_kernel(
      "mapped host memory", "handwritten", n,
      [&] { handwritten::increment(n, increase, mapped.device(), stream<Space>()); }, right_at(host(), mapped.host()));
  const std::vector<case_result> cases = all.finish();
  std::vector<bar> crossings, kernels;
  for (const bar& b : bars_of(cases, rate_of("bytes")))
    (b.label.starts_with("increment/") ? kernels : crossings).push_back(b);
  result.draw(
      bars({std::to_string(n) + " floats to the device and back",
            "From pageable memory the driver copies through a page-locked buffer of its own, piece by piece. "
            "Page-locked memory is read by the device itself at the bus' full rate, and only such a copy can go "
            "on while the host does something else. Pitched rows cost little more than a plain copy."},
           crossings, "GB/s"));
  result.draw(ladder({"x <- x + 0.5 on memory of each kind",
                      "In the device's own memory the portable kernel moves 16 bytes a thread and is faster than the "
                      "classic one, which moves 4. In mapped host memory every element crosses the bus twice, both "
                      "ways at once. That is still less than a copy there, the kernel, and a copy back, if each "
                      "element is used only once."},
                     kernels, "GB/s, read and written"));
}

/// Events, from the first to the last.
class events {
 public:
  explicit events(std::size_t count) : all_(count) {
    for (cudaEvent_t& e : all_) check(cudaEventCreate(&e), "cudaEventCreate");
  }
  ~events() {
    for (const cudaEvent_t e : all_) cudaEventDestroy(e);
  }
  events(const events&) = delete;
  events& operator=(const events&) = delete;

  void record(std::size_t i, cudaStream_t queue) const { check(cudaEventRecord(all_[i], queue), "cudaEventRecord"); }
  bool is_over(std::size_t i) const { return cudaEventQuery(all_[i]) != cudaErrorNotReady; }
  double milliseconds(std::size_t from, std::size_t to) const {
    float time = 0;
    check(cudaEventElapsedTime(&time, all_[from], all_[to]), "cudaEventElapsedTime");
    return time;
  }

 private:
  std::vector<cudaEvent_t> all_;
};

/// One run of copy in, increment, copy out, in pieces on as many streams: milliseconds from the first event, for each
/// piece where its copy in began, where it and the other two ended.
struct run_of_streams {
  std::vector<std::array<double, 4>> pieces = {};
  double all = 0;     // milliseconds until the last event
  double queued = 0;  // until the host had given all of it to the streams
  double looks = 0;   // at the last event, while the device worked
};

run_of_streams run_streams(const std::vector<Space>& streams, std::size_t pieces, bool portable,
                           const pinned_array& from, const pinned_array& to, const array<Space>& x) {
  const events marks(4 * pieces + 1);
  const std::size_t begin = 4 * pieces, size = x.size() / pieces;
  Kokkos::fence("abax-lab: before the streams");
  const perf::stopwatch since;
  marks.record(begin, streams.front().cuda_stream());
  for (std::size_t p = 0; p < pieces; ++p) {
    const Space& space = streams[p % streams.size()];
    const cudaStream_t queue = space.cuda_stream();
    const auto part = std::pair(p * size, p + 1 == pieces ? x.size() : (p + 1) * size);
    const auto in = Kokkos::subview(from, part), out = Kokkos::subview(to, part);
    const auto piece = Kokkos::subview(x, part);
    const std::size_t bytes = sizeof(float) * piece.size();
    marks.record(4 * p, queue);
    portable ? Kokkos::deep_copy(space, piece, in) : copy_bytes(piece.data(), in.data(), bytes, queue);
    marks.record(4 * p + 1, queue);
    portable ? abax::increment(space, increase, piece)
             : handwritten::increment(static_cast<index_t>(piece.size()), increase, piece.data(), queue);
    marks.record(4 * p + 2, queue);
    portable ? Kokkos::deep_copy(space, out, piece) : copy_bytes(out.data(), piece.data(), bytes, queue);
    marks.record(4 * p + 3, queue);
  }
  run_of_streams run;
  run.queued = since.seconds() * 1e3;
  for (std::size_t p = 0; p < pieces; ++p)
    while (!marks.is_over(4 * p + 3)) ++run.looks;
  Kokkos::fence("abax-lab: streams");
  for (std::size_t p = 0; p < pieces; ++p) {
    auto& at = run.pieces.emplace_back();
    for (std::size_t e = 0; e < 4; ++e) at[e] = marks.milliseconds(begin, 4 * p + e);
    run.all = std::max(run.all, at[3]);
  }
  return run;
}

/// The pieces as spans: an engine copies one piece at a time, so a copy begins where its stream and the engine are both
/// free.
std::vector<timeline_lane> lanes_of(const run_of_streams& run, std::size_t streams) {
  std::vector<timeline_lane> lanes;
  for (std::size_t s = 0; s < streams; ++s) lanes.push_back({"stream " + std::to_string(s + 1)});
  double in_free = 0, out_free = 0;
  for (std::size_t p = 0; p < run.pieces.size(); ++p) {
    const auto& [begin, in, kernel, out] = run.pieces[p];
    auto& spans = lanes[p % streams].spans;
    spans.push_back({"copy in", std::min(std::max(begin, in_free), in), in});
    spans.push_back({"increment", in, kernel});
    spans.push_back({"copy out", std::min(std::max(kernel, out_free), out), out});
    in_free = in;
    out_free = out;
  }
  return lanes;
}

void run_overlap(const settings& how, experiment_result& result, index_t n) {
  const auto from = uninitialised<pinned_array>(n), to = uninitialised<pinned_array>(n);
  const auto x = uninitialised<array<Space>>(n);
  reset(from);
  struct plan {
    std::size_t streams, pieces;
    const char* variant;
  };
  const plan plans[] = {{1, 1, "handwritten"},  {2, 4, "handwritten"}, {4, 4, "handwritten"}, {4, 16, "handwritten"},
                        {8, 16, "handwritten"}, {1, 1, "portable"},    {4, 16, "portable"}};
  const std::vector<Space> instances = Kokkos::Experimental::partition_space(Space(), std::vector<int>(8, 1));
  bench all(how, backend::device, result);
  const std::size_t first = result.cases.size();
  for (const plan& p : plans) {
    const bool portable = p.variant == std::string("portable");
    const std::vector<Space> streams(instances.begin(), instances.begin() + static_cast<std::ptrdiff_t>(p.streams));
    const auto run = [&] { return run_streams(streams, p.pieces, portable, from, to, x); };
    poison(to);
    poison(x);
    run();
    require<host>(to.data(), n, input_of{1, increase});
    case_result& c =
        all.add_untimed("increment and copies, " + std::to_string(p.streams) +
                            (p.streams == 1 ? " stream" : " streams, " + std::to_string(p.pieces) + " pieces"),
                        p.variant, "bits of every element, read by the host");
    if (how.once) continue;
    std::vector<double> times, queued, looks;
    run_of_streams last;
    for (int sample = 0; sample < 11; ++sample) {
      last = run();
      times.push_back(last.all * 1e-3);
      queued.push_back(last.queued * 1e-3);
      looks.push_back(last.looks);
    }
    const perf::interval i = perf::median_interval(times);
    c.measured = {{"seconds_median", perf::median_of(times)},
                  {"seconds_low", i.low},
                  {"seconds_high", i.high},
                  {"seconds_until_queued", perf::median_of(queued)}};
    c.output["looks_while_waiting"] = perf::median_of(looks);
    c.notes["clock"] = "events on the device; until all was queued, the host's";
    if (!portable && p.streams == 1)
      result.draw(timeline({"One stream",
                            "In one stream everything happens in order: copy in, kernel, copy out. While one engine "
                            "copies, the other one and all multiprocessors wait.",
                            "ms"},
                           lanes_of(last, p.streams)));
    if (!portable && p.streams == 4 && p.pieces == 16)
      result.draw(timeline({"Four streams, sixteen pieces",
                            "The copies and the kernel of a piece are in the order of its stream, and streams do not "
                            "wait for each other: while one piece is copied out, the next one is copied in. Times are "
                            "those of events; an engine copies one piece at a time, so a copy is drawn from where its "
                            "engine was free.",
                            "ms"},
                           lanes_of(last, p.streams)));
  }
  const std::vector<case_result> cases(result.cases.begin() + static_cast<std::ptrdiff_t>(first), result.cases.end());
  result.draw(bars({std::to_string(n) + " floats: copy in, increment, copy out",
                    "The median of eleven runs, from the first event to the last. More streams help until both copy "
                    "engines are always busy; what is left is the time of one direction and the ends of the pipeline. "
                    "The host is free meanwhile: it looked at the last event many thousand times before it was over."},
                   bars_of(cases, time_in(1e3)), "ms"));
}

}  // namespace

void run_device_copies(const settings& how, experiment_result& result) {
  const index_t n = how.small() ? 1 << 20 : 16 << 20;
  run_crossings(how, result, n);
  run_overlap(how, result, n);
}

}  // namespace abax::lab
