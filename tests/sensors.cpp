// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sensors of abax-perf, before a made-up /sys and a made-up management library.
#include "../perf/suite/sensors.hpp"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace abax::perf;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes with it.
struct folder {
  fs::path path = fs::temp_directory_path() / ("abax-sensors-" + std::to_string(getpid()));

  folder() { fs::remove_all(path); }
  ~folder() { fs::remove_all(path); }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text << "\n";
  }
};

enum { clock_value, memory_clock_value, temperature_value, power_value };

}  // namespace

TEST_CASE("a CPU's clocks, temperature and power are read where the system says", "[perf]") {
  const folder root;
  for (const int cpu : {0, 1, 2}) {
    const std::string at = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
    root.write(at + "cpufreq/scaling_cur_freq", std::to_string(2000000 + 400000 * cpu));
    root.write(at + "thermal_throttle/core_throttle_count", "5");
  }
  root.write("sys/class/hwmon/hwmon3/name", "coretemp");
  root.write("sys/class/hwmon/hwmon3/temp1_input", "61500");
  root.write("sys/class/hwmon/hwmon4/name", "nvme");
  root.write("sys/class/hwmon/hwmon4/temp1_input", "99000");
  root.write("sys/class/powercap/intel-rapl:0/name", "package-0");
  root.write("sys/class/powercap/intel-rapl:0/energy_uj", "1000000");

  const auto cpu = cpu_sensor(std::vector<int>{0, 1}, root.path);
  root.write("sys/class/powercap/intel-rapl:0/energy_uj", "9000000");
  const reading first = cpu->read();
  CHECK(first.values[clock_value] == 2200);
  CHECK(std::isnan(first.values[memory_clock_value]));
  CHECK(first.values[temperature_value] == 61.5);
  CHECK(first.values[power_value] > 0);
  CHECK(first.throttled_by.empty());

  root.write("sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "6");  // none of these threads'
  CHECK(cpu->read().throttled_by.empty());
  root.write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "6");
  CHECK(cpu->read().throttled_by == std::vector<std::string>{"thermal"});
  CHECK(cpu->read().throttled_by.empty());
}

TEST_CASE("where the system says little of a CPU, little is read", "[perf]") {
  const folder root;
  root.write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2600.000\n\nprocessor\t: 1\ncpu MHz\t\t: 3000.000");
  const reading of_one = cpu_sensor(std::vector<int>{1, 1}, root.path)->read();
  CHECK(of_one.values[clock_value] == 3000);
  CHECK(std::isnan(of_one.values[temperature_value]));
  CHECK(std::isnan(of_one.values[power_value]));
  const reading of_none = cpu_sensor(std::vector<int>{0}, root.path / "none")->read();
  CHECK(std::isnan(of_none.values[clock_value]));
  CHECK(of_none.throttled_by.empty());
}

TEST_CASE("a GPU's sensors are read through its management library", "[perf]") {
  const auto gpu = gpu_sensor("0000:17:00.0", ABAX_MANAGEMENT_LIBRARY);
  REQUIRE(gpu != nullptr);
  const reading r = gpu->read();
  CHECK(r.values[clock_value] == 1980);
  CHECK(r.values[memory_clock_value] == 2619);
  CHECK(r.values[temperature_value] == 71);
  CHECK(std::isnan(r.values[power_value]));  // it says so
  CHECK(r.throttled_by == std::vector<std::string>{"power cap", "hardware thermal"});
  CHECK(gpu_driver_version(ABAX_MANAGEMENT_LIBRARY) == "999.88.7");

  CHECK(gpu_sensor("0000:18:00.0", ABAX_MANAGEMENT_LIBRARY) == nullptr);
  CHECK(gpu_sensor("0000:17:00.0", "/no/such/library.so") == nullptr);
  CHECK(gpu_driver_version("/no/such/library.so").empty());
}

TEST_CASE("what is read meanwhile is found by its time", "[perf]") {
  class counting final : public sensor {
   public:
    reading read() override { return {sample_clock::now(), {++count_, 0, 0, 0}, {}}; }
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(2); }

   private:
    double count_ = 0;
  };
  const auto begin = sample_clock::now();
  const recorder r(std::make_unique<counting>());
  while (r.between(begin, sample_clock::now()).size() < 5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::vector<reading> all = r.between(begin, sample_clock::now());
  CHECK(all[0].values[0] == 1);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].when > all[i - 1].when);
  const std::vector<reading> middle = r.between(all[2].when, all[2].when);
  REQUIRE_FALSE(middle.empty());
  for (const reading& m : middle) CHECK(std::chrono::abs(m.when - all[2].when) <= std::chrono::milliseconds(2));
  CHECK(r.between(begin - std::chrono::hours(2), begin - std::chrono::hours(1)).empty());
  CHECK(recorder(nullptr).between(begin, sample_clock::now()).empty());

  constexpr std::size_t few = 4;
  const recorder last(std::make_unique<counting>(), few);
  double newest = 0;
  while (newest < 10) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::vector<reading> kept = last.between(begin, sample_clock::now());
    REQUIRE(kept.size() <= few);
    if (!kept.empty()) newest = kept.back().values[0];
    for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i].values[0] == newest - (kept.size() - 1 - i));
  }
}
