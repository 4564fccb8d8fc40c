// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of experiment "copies": memory of each kind across the bus, and streams.
#include "copies.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <abax/stream.hpp>
#include <algorithm>
#include <array>
#include <chrono>

#include "../suite/timing.hpp"
#include "backends/handwritten/check.hpp"
#include "backends/handwritten/handwritten.hpp"
#include "backends/handwritten/lab/ladders.hpp"

namespace abax::lab {

using namespace copies;

namespace {

using handwritten::check;
using clock = std::chrono::steady_clock;
double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }
using Space = Kokkos::Cuda;
using pinned_array = Kokkos::View<float*, Kokkos::SharedHostPinnedSpace>;
using pageable_array = Kokkos::View<float*, Kokkos::HostSpace>;

pinned_array pinned_floats(const std::string& name, index_t n) {
  return pinned_array(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), static_cast<std::size_t>(n));
}
template <class View>
void write_floats(const View& x, bool with_poison) {
  for (std::size_t i = 0; i < x.size(); ++i)
    x(i) = with_poison ? perf::poison<float>() : perf::input<float>(1, static_cast<index_t>(i));
}

/// Owns what cudaMallocPitch gives.
class pitched_rows {
 public:
  pitched_rows(std::size_t width, std::size_t height) {
    void* memory = nullptr;
    check(cudaMallocPitch(&memory, &pitch_, width * sizeof(float), height), "cudaMallocPitch");
    data_ = static_cast<float*>(memory);
  }
  ~pitched_rows() { cudaFree(data_); }
  pitched_rows(const pitched_rows&) = delete;
  pitched_rows& operator=(const pitched_rows&) = delete;

  float* data() const { return data_; }
  std::size_t pitch() const { return pitch_; }

 private:
  float* data_ = nullptr;
  std::size_t pitch_ = 0;
};

void run_kinds(const settings& how, experiment_result& result) {
  const index_t n = small(how) ? 1 << 20 : 16 << 20;
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(n);
  const cudaStream_t stream = Space().cuda_stream();
  const array<Space> x = poisoned<Space>("x", n);
  const pageable_array pageable(Kokkos::view_alloc(Kokkos::WithoutInitializing, "pageable"),
                                static_cast<std::size_t>(n));
  const pinned_array pinned = pinned_floats("pinned", n);
  rungs all(how, backend::device, result);

  const auto to_device = [&](const char* name, const char* variant, const auto& from, std::function<void()> run) {
    case_result c = case_of<Space>(experiment_name, std::string("to the device/") + name, variant);
    c.label.clear();
    c.given["bytes"] = static_cast<double>(bytes);
    write_floats(from, false);
    poison<Space>(x);
    const auto check_first = [&] {
      if (const index_t wrong = count<Space>(n, wrong_input{x.data(), 0})) throw wrong_output(c, std::to_string(wrong));
      return std::string("bits of every element");
    };
    all.add(c, std::move(run), check_first, timed_by::host);
  };
  const auto to_host = [&](const char* name, const char* variant, const auto& to, std::function<void()> run) {
    case_result c = case_of<Space>(experiment_name, std::string("to the host/") + name, variant);
    c.label.clear();
    c.given["bytes"] = static_cast<double>(bytes);
    write_floats(to, true);
    const auto check_first = [&] {
      require_floats(c, to.data(), n, 0);
      return std::string("bits of every element");
    };
    all.add(c, std::move(run), check_first, timed_by::host);
  };
  to_device("pageable", "portable", pageable, [=] { Kokkos::deep_copy(x, pageable); });
  to_device("page-locked, asynchronous", "portable", pinned, [=] { Kokkos::deep_copy(Space(), x, pinned); });
  to_device("pageable", "handwritten", pageable,
            [=] { check(cudaMemcpy(x.data(), pageable.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy"); });
  to_device("page-locked", "handwritten", pinned,
            [=] { check(cudaMemcpy(x.data(), pinned.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy"); });
  to_device("page-locked, asynchronous", "handwritten", pinned, [=] {
    check(cudaMemcpyAsync(x.data(), pinned.data(), bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  });
  to_host("pageable", "portable", pageable, [=] { Kokkos::deep_copy(pageable, x); });
  to_host("page-locked, asynchronous", "portable", pinned, [=] { Kokkos::deep_copy(Space(), pinned, x); });
  to_host("pageable", "handwritten", pageable,
          [=] { check(cudaMemcpy(pageable.data(), x.data(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy"); });
  to_host("page-locked", "handwritten", pinned,
          [=] { check(cudaMemcpy(pinned.data(), x.data(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy"); });
  to_host("page-locked, asynchronous", "handwritten", pinned, [=] {
    check(cudaMemcpyAsync(pinned.data(), x.data(), bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  });

  // Rows of 1000 floats: each begins on a new line if the rows lie a pitch apart.
  const std::size_t width = 1000, height = static_cast<std::size_t>(n) / width;
  const pitched_rows rows(width, height);
  case_result there =
      case_of<Space>(experiment_name, "to the device/pitched rows from page-locked memory", "handwritten");
  there.label.clear();
  there.given["bytes"] = static_cast<double>(4 * width * height);
  there.notes["pitch"] = std::to_string(rows.pitch()) + " bytes for rows of " + std::to_string(4 * width);
  write_floats(pinned, false);
  const pinned_array back = pinned_floats("back", n);
  const auto copy_back = [&rows, back, width, height, stream] {
    check(cudaMemcpy2DAsync(back.data(), 4 * width, rows.data(), rows.pitch(), 4 * width, height,
                            cudaMemcpyDeviceToHost, stream),
          "cudaMemcpy2DAsync");
    Space().fence();
  };
  all.add(
      there,
      [&rows, pinned, width, height, stream] {
        check(cudaMemcpy2DAsync(rows.data(), rows.pitch(), pinned.data(), 4 * width, 4 * width, height,
                                cudaMemcpyHostToDevice, stream),
              "cudaMemcpy2DAsync");
      },
      [&] {
        copy_back();
        require_floats(there, back.data(), static_cast<index_t>(width * height), 0);
        return std::string("bits of every element, copied back");
      },
      timed_by::host);
  // The kernels, on memory of each kind. Their output is checked once, before they are repeated.
  const auto kernel = [&](const char* name, const char* variant, index_t elements, std::function<void()> run,
                          const std::function<void(const case_result&)>& check_first) {
    case_result c = case_of<Space>(experiment_name, std::string("increment/") + name, variant);
    c.label.clear();
    c.given["bytes"] = 8.0 * static_cast<double>(elements);
    all.add(c, std::move(run), [&] {
      check_first(c);
      return std::string("bits of every element");
    });
  };
  const auto on_device = [&](const case_result& c) {
    if (const index_t wrong = count<Space>(n, wrong_input{x.data(), increase}))
      throw wrong_output(c, std::to_string(wrong));
  };
  const auto restore = [&] {
    write_floats(pinned, false);
    Kokkos::deep_copy(x, pinned);
  };
  restore();
  kernel(
      "device memory", "portable", n, [=] { abax::increment(Space(), increase, x); }, on_device);
  restore();
  kernel(
      "device memory", "handwritten", n, [=] { handwritten::increment(n, increase, x.data(), stream); }, on_device);
  kernel(
      "pitched rows", "handwritten", static_cast<index_t>(width * height),
      [&rows, width, height, stream] {
        handwritten::lab::increment_pitched(static_cast<index_t>(width), static_cast<index_t>(height), rows.pitch(),
                                            increase, rows.data(), stream);
      },
      [&](const case_result& c) {
        copy_back();
        require_floats(c, back.data(), static_cast<index_t>(width * height), increase);
      });
  const pinned_array portable_mapped = pinned_floats("mapped", n);
  write_floats(portable_mapped, false);
  kernel(
      "mapped host memory", "portable", n, [=] { abax::increment(Space(), increase, portable_mapped); },
      [&](const case_result& c) { require_floats(c, portable_mapped.data(), n, increase); });
  handwritten::mapped_array<float> mapped(n);
  for (index_t i = 0; i < n; ++i) mapped.host()[i] = perf::input<float>(1, i);
  kernel(
      "mapped host memory", "handwritten", n,
      [&mapped, n, stream] { handwritten::increment(n, increase, mapped.device(), stream); },
      [&](const case_result& c) { require_floats(c, mapped.host(), n, increase); });
  const std::vector<case_result> cases = all.finish();
  if (how.once) return;
  std::vector<case_result> crossings, kernels;
  for (const case_result& c : cases) (c.name.starts_with("increment/") ? kernels : crossings).push_back(c);
  result.figures.push_back(
      bars({std::to_string(n) + " floats to the device and back",
            "From pageable memory the driver copies through a page-locked buffer of its own, piece by piece; "
            "page-locked memory is read by the device itself, at the bus' full rate, and only from there can a copy go "
            "on while the host does something else. Rows that lie a pitch apart cost little more than a plain copy."},
           rate_bars(crossings, "bytes"), "GB/s"));
  result.figures.push_back(
      ladder({"x <- x + 0.5 on memory of each kind",
              "In the device's own memory the portable kernel, which moves 16 bytes a thread, beats the classic one, "
              "which moves 4, and pitched rows cost next to nothing. In mapped host memory every element crosses the "
              "bus twice, both ways at once. That is still less than a copy there, the kernel, and a copy back, if "
              "each element is used only once."},
             rate_bars(kernels, "bytes"), "GB/s, read and written"));
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

  void record(std::size_t i, cudaStream_t stream) const { check(cudaEventRecord(all_[i], stream), "cudaEventRecord"); }
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
  std::vector<std::array<double, 4>> pieces;
  double all;     // milliseconds until the last event
  double queued;  // until the host had given all of it to the streams
  double looks;   // at the last event, while the device worked
};

run_of_streams run_streams(index_t n, const std::vector<Space>& streams, int pieces, bool portable, const float* from,
                           float* to, const array<Space>& x) {
  const auto count = static_cast<std::size_t>(pieces);
  const events marks(4 * count + 1);
  const std::size_t begin = 4 * count;
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const auto start = clock::now();
  marks.record(begin, streams.front().cuda_stream());
  for (std::size_t p = 0; p < count; ++p) {
    const Space& space = streams[p % streams.size()];
    const cudaStream_t stream = space.cuda_stream();
    const index_t offset = n / pieces * static_cast<index_t>(p), size = p + 1 == count ? n - offset : n / pieces;
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(size);
    marks.record(4 * p, stream);
    using unmanaged = Kokkos::View<float*, Space::memory_space, Kokkos::MemoryUnmanaged>;
    const unmanaged piece(x.data() + offset, static_cast<std::size_t>(size));
    if (portable) {
      using pinned = Kokkos::View<float*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>;
      using const_pinned = Kokkos::View<const float*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>;
      Kokkos::deep_copy(space, piece, const_pinned(from + offset, piece.size()));
      marks.record(4 * p + 1, stream);
      abax::increment(space, increase, piece);
      marks.record(4 * p + 2, stream);
      Kokkos::deep_copy(space, pinned(to + offset, piece.size()), piece);
    } else {
      check(cudaMemcpyAsync(piece.data(), from + offset, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
      marks.record(4 * p + 1, stream);
      handwritten::increment(size, increase, piece.data(), stream);
      marks.record(4 * p + 2, stream);
      check(cudaMemcpyAsync(to + offset, piece.data(), bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    }
    marks.record(4 * p + 3, stream);
  }
  run_of_streams run{{}, 0, since(start) * 1e3, 0};
  for (std::size_t p = 0; p < count; ++p)
    while (!marks.is_over(4 * p + 3)) ++run.looks;
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (std::size_t p = 0; p < count; ++p) {
    std::array<double, 4> at{};
    for (std::size_t e = 0; e < 4; ++e) at[e] = marks.milliseconds(begin, 4 * p + e);
    run.pieces.push_back(at);
    run.all = std::max(run.all, at[3]);
  }
  return run;
}

/// The pieces as spans: an engine copies one piece at a time, so a copy begins where its stream and the engine are both
/// free.
std::vector<timeline_lane> lanes_of(const run_of_streams& run, int streams) {
  std::vector<timeline_lane> lanes;
  for (int s = 0; s < streams; ++s) lanes.push_back({"stream " + std::to_string(s + 1), {}});
  double in_free = 0, out_free = 0;
  for (std::size_t p = 0; p < run.pieces.size(); ++p) {
    const auto& [begin, in, kernel, out] = run.pieces[p];
    auto& spans = lanes[p % static_cast<std::size_t>(streams)].spans;
    spans.push_back({"copy in", std::min(std::max(begin, in_free), in), in});
    spans.push_back({"increment", in, kernel});
    spans.push_back({"copy out", std::min(std::max(kernel, out_free), out), out});
    in_free = in;
    out_free = out;
  }
  return lanes;
}

void run_overlap(const settings& how, experiment_result& result) {
  const index_t n = small(how) ? 1 << 20 : 16 << 20;
  const pinned_array from = pinned_floats("from", n), to = pinned_floats("to", n);
  write_floats(from, false);
  const array<Space> x = poisoned<Space>("x", n);
  struct plan {
    int streams, pieces;
    bool portable;
  };
  const plan plans[] = {{1, 1, false},  {2, 4, false}, {4, 4, false}, {4, 16, false},
                        {8, 16, false}, {1, 1, true},  {4, 16, true}};
  const std::vector<Space> instances = Kokkos::Experimental::partition_space(Space(), std::vector<int>(8, 1));
  std::vector<bar> rows;
  for (const plan& p : plans) {
    const std::vector<Space> streams(instances.begin(), instances.begin() + p.streams);
    const std::string name = "increment and copies, " + std::to_string(p.streams) +
                             (p.streams == 1 ? " stream" : " streams, " + std::to_string(p.pieces) + " pieces");
    case_result c = case_of<Space>(experiment_name, name, p.portable ? "portable" : "handwritten");
    c.label.clear();
    write_floats(to, true);
    poison<Space>(x);
    run_of_streams run = run_streams(n, streams, p.pieces, p.portable, from.data(), to.data(), x);
    require_floats(c, to.data(), n, increase);
    c.checked = "bits of every element, read by the host";
    if (!how.once) {
      std::vector<double> times, queued, looks;
      for (int sample = 0; sample < 11; ++sample) {
        run = run_streams(n, streams, p.pieces, p.portable, from.data(), to.data(), x);
        times.push_back(run.all * 1e-3);
        queued.push_back(run.queued * 1e-3);
        looks.push_back(run.looks);
      }
      const perf::interval i = perf::median_interval(times);
      c.measured = {{"seconds_median", perf::median_of(times)},
                    {"seconds_low", i.low},
                    {"seconds_high", i.high},
                    {"seconds_until_queued", perf::median_of(queued)}};
      c.output["looks_while_waiting"] = perf::median_of(looks);
      c.notes["clock"] = "events on the device; until all was queued, the host's";
      rows.push_back({name + " (" + c.variant + ")", c.measured["seconds_median"] * 1e3, i.low * 1e3, i.high * 1e3});
      if (!p.portable && (p.streams == 1 || (p.streams == 4 && p.pieces == 16)))
        result.figures.push_back(
            timeline({p.streams == 1 ? "One stream" : "Four streams, sixteen pieces",
                      p.streams == 1 ? "In one stream everything happens in order: copy in, kernel, copy out. While "
                                       "one engine copies, the other one and all multiprocessors wait."
                                     : "Each piece has its copy in, its kernel and its copy out, in the order of its "
                                       "stream, and the streams do not wait for each other: while one piece is copied "
                                       "out, the next one comes in. Times are those of events; an engine copies one "
                                       "piece at a time, so a copy is drawn from where its engine was free.",
                      "ms", "", from_clock},
                     lanes_of(run, p.streams)));
    }
    result.cases.push_back(std::move(c));
  }
  if (how.once) return;
  result.figures.push_back(
      bars({std::to_string(n) + " floats: copy in, increment, copy out",
            "The median of eleven runs, from the first event to the last. More streams help until both copy engines "
            "are always busy; what is left is the time of one direction and the ends of the pipeline. Meanwhile the "
            "host is free: in one stream it looked at the last event many thousand times before it was over.",
            "", "", from_clock},
           rows, "ms"));
}

}  // namespace

void run_device_copies(const settings& how, experiment_result& result) {
  run_kinds(how, result);
  run_overlap(how, result);
}

}  // namespace abax::lab
#endif
