// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace abax::perf {
namespace {

using nlohmann::json;

/// Five digits are more than any clock is good for, and halve the file.
void round_numbers(json& value) {
  if (value.is_number_float()) {
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", value.get<double>());
    value = std::strtod(text, nullptr);
  } else if (value.is_structured()) {
    for (const auto& [name, member] : value.items())
      if (name != "amount") round_numbers(member);
  }
}

/// One of the file's lists: a line each, so that files can be diffed. What a case or a variant has not is left out.
template <class T>
void write_list(std::ostream& out, const char* name, const std::vector<T>& list) {
  out << ",\n\"" << name << "\": [";
  const char* between = "\n";
  for (json one : list) {
    round_numbers(one);
    if (one.contains("variants"))
      for (json& v : one["variants"]) {
        if (v["device_samples"].empty()) v.erase("device_median");
        for (const char* const samples : {"device_samples", "throttled"})
          if (v[samples].empty()) v.erase(samples);
      }
    if (one.contains("ranks") && one["ranks"].empty()) one.erase("ranks"), one.erase("slow");
    if (one.contains("rows") && one["rows"].empty()) one.erase("rows");
    out << std::exchange(between, ",\n") << text_of(one);
  }
  out << "\n]";
}

/// A temporary file beside `path`, with the rights of any new file; the caller closes it.
std::FILE* open_beside(const std::string& path, std::string& name) {
  name = path + ".XXXXXX";
  const int fd = mkstemp(name.data());
  if (fd < 0) throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  return fdopen(fd, "w");
}

/// A cell of a table whose cells commas part: a random shape has some.
std::string quoted(const std::string& text) { return text.find(',') == std::string::npos ? text : '"' + text + '"'; }

}  // namespace

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

void require_writable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw std::runtime_error("cannot write " + path + ": it is not a file");
  std::string name;
  std::fclose(open_beside(path, name));
  unlink(name.c_str());
}

void write_whole(const std::string& path, const std::string& text) {
  std::string name;
  std::FILE* const file = open_beside(path, name);
  bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0 &&
               fsync(fileno(file)) == 0;
  whole = std::fclose(file) == 0 && whole;
  if (whole && std::rename(name.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  unlink(name.c_str());
  throw std::runtime_error("could not write " + path + ": " + why);
}

void write_json(const run_results& results, const std::string& path) {
  nlohmann::ordered_json context = nlohmann::ordered_json::object();
  for (const auto& [name, value] : results.context) context[name] = value;
  std::ostringstream out;
  out << "{\n\"schema\": \"abax-perf 2\",\n\"status\": " << text_of(results.status)
      << ",\n\"context\": " << context.dump(2, ' ', false, json::error_handler_t::replace);
  if (!results.places.empty()) {
    write_list(out, "ranks", results.places);
    write_list(out, "links", results.links);
    write_list(out, "failures", results.failures);
    write_list(out, "slow", results.slow);
  }
  write_list(out, "cases", results.cases);
  out << "\n}\n";
  write_whole(path, out.str());
}

void write_csv(const run_results& results, const std::string& path) {
  std::ostringstream out;
  out << "kernel,type,shape,m,n,k,backend,operand_sets,bits,converged,passes,variant,samples,throttled_samples,"
         "median_s,median_low_s,median_high_s,minimum_s,deviation_s,device_median_s,rate_per_s,unit,roof,"
         "roof_rate_per_s,ratio,ratio_low,ratio_high\n";
  const auto line = [&](const auto&... cells) {
    const char* between = "";
    ((out << std::exchange(between, ",") << cells), ...);
    out << '\n';
  };
  for (const case_result& c : results.cases)
    for (const variant_result& v : c.variants) {
      const std::string events = v.device_samples.empty() ? "" : json(v.device_median).dump();
      line(c.kernel, c.type, quoted(c.shape), c.m, c.n, c.k, c.backend, c.operand_sets, c.bits,
           c.converged ? "yes" : "no", c.passes.size(), v.name, v.samples.size(), v.throttled.size(), v.median,
           v.median_low, v.median_high, v.minimum, v.deviation, events, c.amount / v.median, c.unit, c.roof,
           c.roof_rate, v.ratio, v.ratio_low, v.ratio_high);
    }
  write_whole(path, out.str());
}

}  // namespace abax::perf
