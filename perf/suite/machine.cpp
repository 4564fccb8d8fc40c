// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "abax/abax.h"
#include "commit.hpp"
#include "flags.hpp"
#include "ranks/ranks.hpp"
#include "table.hpp"

#if defined(ABAX_PERF_HWLOC)
#include <hwloc.h>
#endif

namespace abax::perf {
namespace {

/// The first line of a file that begins so, without that.
std::string value_in(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) {
      const std::size_t begin = line.find_first_not_of(" \t", name.empty() ? 0 : line.find(':') + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return "";
}

#if defined(ABAX_PERF_HWLOC)
hwloc_topology_t topology() {
  static const hwloc_topology_t loaded = [] {
    hwloc_topology_t t = nullptr;
    hwloc_topology_init(&t);
    hwloc_topology_load(t);
    return t;
  }();
  return loaded;
}

std::string cpus_text(hwloc_const_bitmap_t cpus) {
  char text[256] = "";
  hwloc_bitmap_list_snprintf(text, sizeof text, cpus);
  return text;
}

int cores() { return hwloc_get_nbobjs_by_type(topology(), HWLOC_OBJ_CORE); }

double last_cache_bytes() {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE})
    if (const hwloc_obj_t cache = hwloc_get_obj_by_type(topology(), type, 0))
      return static_cast<double>(cache->attr->cache.size) * hwloc_get_nbobjs_by_type(topology(), type);
  return 0;
}

void add_topology(property_sheet& sheet) {
  for (int depth = hwloc_topology_get_depth(topology()) - 1; depth > 0; --depth) {
    const hwloc_obj_type_t type = hwloc_get_depth_type(topology(), depth);
    const hwloc_obj_t first = hwloc_get_obj_by_depth(topology(), depth, 0);
    if (!hwloc_obj_type_is_cache(type)) continue;
    char name[64];
    hwloc_obj_type_snprintf(name, sizeof name, first, 1);
    sheet.lines.emplace_back(name, bytes_text(static_cast<double>(first->attr->cache.size)) + ", " +
                                       std::to_string(hwloc_get_nbobjs_by_depth(topology(), depth)) +
                                       " of them, the first for the CPUs " + cpus_text(first->cpuset) + "; lines of " +
                                       std::to_string(first->attr->cache.linesize) + " bytes");
  }
  for (int n = 0; n < hwloc_get_nbobjs_by_type(topology(), HWLOC_OBJ_NUMANODE); ++n) {
    const hwloc_obj_t node = hwloc_get_obj_by_type(topology(), HWLOC_OBJ_NUMANODE, static_cast<unsigned>(n));
    sheet.lines.emplace_back(
        "NUMA node " + std::to_string(node->os_index),
        bytes_text(static_cast<double>(node->attr->numanode.local_memory)) + ", CPUs " + cpus_text(node->cpuset));
  }
}
#else
int cores() { return 0; }
double last_cache_bytes() { return static_cast<double>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE))); }
void add_topology(property_sheet& sheet) {
  sheet.lines.emplace_back("caches, NUMA",
                           "this program was built without hwloc, which knows them (Debian: libhwloc-dev)");
}
#endif

/// Those that a dense kernel can use.
std::string instruction_sets() {
  static const std::regex wanted("avx.*|fma|f16c|amx_.*|asimd(hp)?|fphp|bf16|sve2?|sme");
  std::istringstream in(value_in("/proc/cpuinfo", "flags") + " " + value_in("/proc/cpuinfo", "Features"));
  std::string found;
  for (std::string flag; in >> flag;)
    if (std::regex_match(flag, wanted)) found += flag + " ";
  return found;
}

std::string joined(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text.append(" ").append(std::to_string(cpu));
  return text;
}

property_sheet host_sheet() {
  property_sheet sheet{backend_name(backend::host), {}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) sheet.lines.emplace_back(name, value);
  };
  add("CPU", value_in("/proc/cpuinfo", "model name"));
  add("cores", cores() > 0 ? std::to_string(cores()) + ", CPUs " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) : "");
  add_topology(sheet);
  add("memory", bytes_text(1024 * std::strtod(value_in("/proc/meminfo", "MemTotal").c_str(), nullptr)) +
                    ", of it free " + bytes_text(free_memory(backend::host)));
  add("huge pages", value_in("/sys/kernel/mm/transparent_hugepage/enabled", ""));
  add("governor", value_in("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""));
  add("instruction sets", instruction_sets());
  const std::vector<int> cpus = thread_cpus();
  const bool share = std::set<int>(cpus.begin(), cpus.end()).size() < cpus.size();
  add("threads", std::to_string(cpus.size()) + ", now on the CPUs" + joined(cpus) + (share ? " (some share one)" : ""));
  add("allowed CPUs", ranges_text(allowed_cpus()));
  for (const auto& line : describe_environment()) sheet.lines.push_back(line);
  return sheet;
}

}  // namespace

std::string commit() { return ABAX_COMMIT; }

std::string about(const std::string& program) {
  const int version = abax_version();
  const auto text = [](int number) { return std::to_string(number); };
  return program + " " + text(version / 10000) + "." + text(version / 100 % 100) + "." + text(version % 100) +
         ", canon " + text(ABAX_CANON_VERSION) + ", commit " + commit() + "; " + compilers();
}

std::vector<int> thread_cpus() {
  std::vector<int> cpus(static_cast<std::size_t>(host_threads()), -1);
  on_all_threads([&](int t) { cpus[static_cast<std::size_t>(t)] = sched_getcpu(); });
  return cpus;
}

std::string ranges_text(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < ascending.size() && ascending[i + 1] == ascending[i] + 1) ++i;
    if (!text.empty()) text += ",";
    text += std::to_string(ascending[first]);
    if (i > first) text.append("-").append(std::to_string(ascending[i]));
  }
  return text;
}

std::size_t host_cache_bytes() { return static_cast<std::size_t>(last_cache_bytes() / ranks::self().neighbours); }

std::size_t bytes_past_cache(backend where) {
  const bool on_host = where == backend::host;
  const std::size_t cache = on_host ? host_cache_bytes() : device_cache_bytes();
  const std::size_t least = (std::size_t(256) << 20) / (on_host ? ranks::self().neighbours : 1);  // of all together
  return std::clamp<std::size_t>(4 * cache, least, std::size_t(1) << 30);
}

int sets_past_cache(backend where, double bytes) {
  constexpr double most = 4096;  // of operands so small that their way from memory is not what they are timed for
  return static_cast<int>(std::min(1 + static_cast<double>(bytes_past_cache(where)) / bytes, most));
}

double seconds_waited() {
  std::ifstream in("/proc/thread-self/schedstat");  // nanoseconds run, nanoseconds waited, slices
  double run = 0, waited = 0;
  return in >> run >> waited ? waited * 1e-9 : 0;
}

double free_memory(backend where) {
  if (where == backend::device) return gpu_free_memory();
  return 1024 * std::strtod(value_in("/proc/meminfo", "MemAvailable").c_str(), nullptr);
}

bool is_free(double bytes, backend where) {
  const double there = free_memory(where);
  return there == 0 || bytes <= 0.95 * there;
}

void require_free(const std::string& what, double bytes, backend where) {
  constexpr double giga = 1e9;
  if (!is_free(bytes, where))
    throw std::runtime_error(what + " needs " + number(bytes / giga, 1, "GB") + ", and there are " +
                             number(free_memory(where) / giga, 1, "GB") + ": choose smaller sizes");
}

text_lines describe_machine() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  utsname system{};
  uname(&system);
  text_lines lines{{"Host", name},
                   {"System", std::string(system.sysname) + " " + system.release + " " + system.machine}};
  const auto count = [](int n, const char* what) {
    return n == 0 ? "" : ", " + std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  lines.emplace_back("CPU", value_in("/proc/cpuinfo", "model name") + count(cores(), "core") +
                                count(host_threads(), "thread") + host_execution());
  lines.emplace_back("Binding", "threads on the CPUs" + joined(thread_cpus()));
  for (const auto& line : describe_gpu()) lines.push_back(line);
  std::string build;
#if !defined(NDEBUG)
  build += "NOT OPTIMISED: these figures mean nothing; ";
#endif
  lines.emplace_back("Build", build + ABAX_BUILD_TYPE ", " + compilers() + "; commit " + commit());
  lines.emplace_back("Flags", ABAX_FLAGS);
  return lines;
}

text_lines describe_environment() {
  std::map<std::string, std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    for (const std::string_view begin :
         {"ABAX_", "BLIS_", "CUDA_", "GOMP_", "KMP_", "KOKKOS_", "LD_PRELOAD=", "MKL_",
          "NVIDIA_TF32_OVERRIDE=", "NVIDIA_VISIBLE_DEVICES=", "OMP_", "OPENBLAS_", "SLURM_CPU",
          "SLURM_DISTRIBUTION=", "SLURM_GPU", "SLURM_JOB_ID=", "SLURM_NTASKS"})
      if (equals != std::string_view::npos && text.starts_with(begin))
        found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return {found.begin(), found.end()};
}

text_lines describe_run() {
  text_lines lines = describe_machine();
  for (const auto& variable : describe_environment()) lines.push_back(variable);
  char text[32];
  const std::time_t time = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  lines.emplace_back("Begun", text);
  return lines;
}

std::vector<property_sheet> property_sheets() {
  std::vector<property_sheet> sheets{{"Abax", describe_machine()}, host_sheet()};
  for (const property_sheet& gpu : gpu_sheets()) sheets.push_back(gpu);
  return sheets;
}

void devices() {
  const char* between = "";
  for (const property_sheet& sheet : property_sheets()) {
    std::printf("%s%s\n", between, sheet.title.c_str());
    for (const auto& [name, value] : sheet.lines) std::printf("  %-18s %s\n", name.c_str(), value.c_str());
    between = "\n";
  }
}

}  // namespace abax::perf
