// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Clocks, temperature and power while something is timed, and whether the machine held itself back meanwhile.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "peers/peers.hpp"
#include "timing.hpp"

namespace abax::perf {

/// What is read, with its unit; NaN where the system does not say.
inline constexpr std::array<const char*, 4> sensor_names{"clock_MHz", "memory_clock_MHz", "temperature_C", "power_W"};

struct reading {
  sample_clock::time_point when;
  std::array<double, sensor_names.size()> values;
  std::vector<std::string> throttled_by;  ///< "power cap", "thermal", ...: why clocks were lower than they could be
};

class sensor {
 public:
  virtual ~sensor() = default;
  virtual reading read() = 0;
  virtual std::chrono::milliseconds period() const = 0;
};

/// The CPUs that threads run on; `root` is where /sys and /proc are looked for.
std::unique_ptr<sensor> cpu_sensor(std::span<const int> cpus, const std::string& root = "/");

/// A GPU, by its PCI address, through NVIDIA's management library; nothing where that does not load or knows no such
/// GPU.
std::unique_ptr<sensor> gpu_sensor(const std::string& pci, const char* library = "libnvidia-ml.so.1");

/// The version of the GPU's driver, as the same library says it.
std::string gpu_driver_version(const char* library = "libnvidia-ml.so.1");

using sensor_maker = std::function<std::unique_ptr<sensor>()>;
/// Takes the place of this program's own sensor. To be called before main(); true, so that it can initialise a static.
bool replace_sensor(backend where, const sensor_maker& maker);
/// What replace_sensor() has put there, or nothing.
const sensor_maker& replaced_sensor(backend where);

/// What one sensor said, however long: the extremes, and of all values so many, evenly spaced, that their median
/// serves.
class sensor_values {
 public:
  static constexpr std::size_t most = 4096;

  void add(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
    if (count_++ % every_ != 0) return;
    kept_.push_back(value);
    if (kept_.size() < most) return;
    every_ *= 2;
    for (std::size_t i = 0; i < most / 2; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(most / 2);
  }
  bool empty() const { return kept_.empty(); }
  double low() const { return low_; }
  double median() const { return median_of(kept_); }
  double high() const { return high_; }

 private:
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
  std::size_t count_ = 0, every_ = 1;
  std::vector<double> kept_;
};

/// Reads a sensor all the while, on a thread of its own.
class recorder {
 public:
  /// Keeps the last `most` readings (of a GPU those of 40 minutes; of a CPU, three hours); none where `what` is
  /// nothing.
  explicit recorder(std::unique_ptr<sensor> what, std::size_t most = 1 << 17);
  ~recorder();

  /// What was read then, a period's grace on both sides: a short sample may lie between two readings.
  std::vector<reading> between(sample_clock::time_point begin, sample_clock::time_point end) const;

 private:
  void record();

  std::unique_ptr<sensor> sensor_;
  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::deque<reading> readings_;
  std::thread thread_;
};

}  // namespace abax::perf
