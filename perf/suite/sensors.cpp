// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sensors.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "loaded.hpp"

namespace abax::perf {
namespace {

namespace fs = std::filesystem;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
enum { clock_value, memory_clock_value, temperature_value, power_value };

reading nothing() { return {sample_clock::now(), {unknown, unknown, unknown, unknown}, {}}; }

double number_in(const fs::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? value : unknown;
}

/// The file, where the line it begins with begins so.
void add_if(std::vector<fs::path>& files, const fs::path& file, const fs::path& named, const std::string& beginning) {
  std::ifstream in(named);
  std::string line;
  if (std::getline(in, line) && line.starts_with(beginning)) files.push_back(file);
}

// ---------------------------------------------------------------------------------------------------------------------
// The CPU, through Linux' files.

class files_of_cpus final : public sensor {
 public:
  files_of_cpus(std::span<const int> cpus, const std::string& root) : root_(root) {
    const std::set<int> distinct(cpus.begin(), cpus.end());
    const std::vector<int> all(distinct.begin(), distinct.end());
    constexpr std::size_t most = 8;  // asking a core for its clock disturbs it
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
      const int cpu = all[i * all.size() / std::min(most, all.size())];
      const fs::path folder = root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
      cpus_.insert(cpu);
      add_if(clocks_, folder / "cpufreq/scaling_cur_freq", folder / "cpufreq/scaling_cur_freq", "");
      for (const char* const count : {"core_throttle_count", "package_throttle_count"})
        add_if(throttles_, folder / "thermal_throttle" / count, folder / "thermal_throttle" / count, "");
    }
    for (const fs::path& chip : folders("sys/class/hwmon"))
      for (const char* const name : {"coretemp", "k10temp"})
        add_if(temperatures_, chip / "temp1_input", chip / "name", name);
    for (const fs::path& zone : folders("sys/class/powercap"))
      add_if(energies_, zone / "energy_uj", zone / "name", "package");
    read();  // what is counted is read as a difference
  }

  reading read() override {
    reading now = nothing();
    now.values[clock_value] = clocks_.empty() ? clock_of_cpuinfo() : 1e-3 * total(clocks_) / clocks_.size();
    for (const fs::path& file : temperatures_)
      now.values[temperature_value] = std::fmax(now.values[temperature_value], 1e-3 * number_in(file));
    const double joules = energies_.empty() ? unknown : 1e-6 * total(energies_);
    const double seconds = std::chrono::duration<double>(now.when - last_).count();
    if (joules > joules_ && seconds > 0) now.values[power_value] = (joules - joules_) / seconds;
    const double throttles = throttles_.empty() ? 0 : total(throttles_);
    if (throttles > count_) now.throttled_by.push_back("thermal");
    last_ = now.when;
    joules_ = joules;
    count_ = throttles;
    return now;
  }
  std::chrono::milliseconds period() const override { return std::chrono::milliseconds(100); }

 private:
  std::vector<fs::path> folders(const char* name) const {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root_ / name, error)) found.push_back(entry.path());
    return found;
  }
  static double total(const std::vector<fs::path>& files) {
    double sum = 0;
    for (const fs::path& file : files) sum += number_in(file);
    return sum;
  }
  /// Where no driver steers the clocks, as in virtual machines, there may still be this.
  double clock_of_cpuinfo() const {
    std::ifstream info(root_ / "proc/cpuinfo");
    double sum = 0;
    int cpu = -1, count = 0;
    for (std::string line; std::getline(info, line);) {
      const char* const value = line.c_str() + std::min(line.size(), line.find(':') + 1);
      if (line.starts_with("processor")) cpu = std::atoi(value);
      if (!line.starts_with("cpu MHz") || cpus_.count(cpu) == 0) continue;
      sum += std::strtod(value, nullptr);
      ++count;
    }
    return count > 0 ? sum / count : unknown;
  }

  fs::path root_;
  std::set<int> cpus_;
  std::vector<fs::path> clocks_, temperatures_, energies_, throttles_;
  sample_clock::time_point last_;
  double joules_ = unknown, count_ = std::numeric_limits<double>::infinity();
};

// ---------------------------------------------------------------------------------------------------------------------
// A GPU, through NVIDIA's management library. Its interface is stable; nvml.h need not be there to build.

class management {
 public:
  explicit management(const char* library) : library_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    ready_ = said("nvmlInit_v2");
  }
  ~management() {
    if (ready_) said("nvmlShutdown");
    if (library_ != nullptr) dlclose(library_);
  }
  management(const management&) = delete;
  management& operator=(const management&) = delete;

  bool ready() const { return ready_; }
  /// Whether the function exists, and succeeds.
  template <class... Arguments>
  bool said(const char* function, Arguments... arguments) const {
    constexpr int success = 0;
    const auto call = symbol<int(Arguments...)>(library_, function);
    return call != nullptr && call(arguments...) == success;
  }

 private:
  void* library_;
  bool ready_ = false;
};

class managed_gpu final : public sensor {
 public:
  managed_gpu(const std::string& pci, const char* library) : library_(library) {
    found_ = library_.ready() && library_.said("nvmlDeviceGetHandleByPciBusId_v2", pci.c_str(), &device_);
  }

  bool found() const { return found_; }

  reading read() override {
    reading now = nothing();
    unsigned value = 0;
    constexpr int multiprocessors = 1, memory = 2, on_the_chip = 0;
    const auto said = [&](const char* function, auto... arguments) {
      return library_.said(function, device_, arguments...);
    };
    if (said("nvmlDeviceGetClockInfo", multiprocessors, &value)) now.values[clock_value] = value;
    if (said("nvmlDeviceGetClockInfo", memory, &value)) now.values[memory_clock_value] = value;
    if (said("nvmlDeviceGetTemperature", on_the_chip, &value)) now.values[temperature_value] = value;
    if (said("nvmlDeviceGetPowerUsage", &value)) now.values[power_value] = 1e-3 * value;
    unsigned long long bits = 0;  // the second name: before driver 535
    if (said("nvmlDeviceGetCurrentClocksEventReasons", &bits) ||
        said("nvmlDeviceGetCurrentClocksThrottleReasons", &bits))
      for (const auto& [bit, name] : reasons)
        if ((bits & bit) != 0) now.throttled_by.push_back(name);
    return now;
  }
  std::chrono::milliseconds period() const override { return std::chrono::milliseconds(20); }

 private:
  /// What holds a busy GPU back. That it has nothing to do is none of these, nor clocks that its owner has set.
  static constexpr std::array<std::pair<unsigned long long, const char*>, 6> reasons{{{0x04, "power cap"},
                                                                                      {0x08, "hardware slowdown"},
                                                                                      {0x10, "sync boost"},
                                                                                      {0x20, "thermal"},
                                                                                      {0x40, "hardware thermal"},
                                                                                      {0x80, "power brake"}}};

  management library_;
  void* device_ = nullptr;
  bool found_ = false;
};

/// A thread inherits the CPUs that its parent is bound to; this one must not share a core with those that are timed.
void run_anywhere() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
}

}  // namespace

std::unique_ptr<sensor> cpu_sensor(std::span<const int> cpus, const std::string& root) {
  return std::make_unique<files_of_cpus>(cpus, root);
}

std::unique_ptr<sensor> gpu_sensor(const std::string& pci, const char* library) {
  auto gpu = std::make_unique<managed_gpu>(pci, library);
  return gpu->found() ? std::move(gpu) : nullptr;
}

std::string gpu_driver_version(const char* library) {
  const management nvml(library);
  char text[96] = "";
  return nvml.ready() && nvml.said("nvmlSystemGetDriverVersion", &text[0], unsigned{sizeof text}) ? text : "";
}

recorder::recorder(std::unique_ptr<sensor> what, std::size_t most) : sensor_(std::move(what)), most_(most) {
  if (sensor_ != nullptr) thread_ = std::thread([this] { record(); });
}

recorder::~recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void recorder::record() {
  run_anywhere();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    reading now = sensor_->read();
    lock.lock();
    readings_.push_back(std::move(now));
    if (readings_.size() > most_) readings_.pop_front();
    stop_.wait_for(lock, sensor_->period(), [this] { return stopping_; });
  }
}

std::vector<reading> recorder::between(sample_clock::time_point begin, sample_clock::time_point end) const {
  if (sensor_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const auto earlier = [](const reading& r, sample_clock::time_point when) { return r.when < when; };
  const auto first = std::lower_bound(readings_.begin(), readings_.end(), begin - sensor_->period(), earlier);
  const auto last = std::lower_bound(first, readings_.end(), end + sensor_->period(), earlier);
  return {first, last};
}

}  // namespace abax::perf
