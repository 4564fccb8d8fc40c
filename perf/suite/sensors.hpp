// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Clocks, temperature and power while something is timed, and whether the machine held itself back meanwhile.
#include <array>
#include <condition_variable>
#include <deque>
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
