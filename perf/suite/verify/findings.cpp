// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "findings.hpp"

#include <cmath>
#include <cstdio>

namespace abax::perf::verify {
namespace {

using nlohmann::json;

json known(double value) { return std::isfinite(value) ? json(value) : json(); }
double value_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

void to_json(json& all, const difference& d) {
  all = {{"rank", d.rank},
         {"host", d.host},
         {"gpu", d.gpu},
         {"backend", d.backend},
         {"call", d.call},
         {"beside", d.beside},
         {"element", d.element},
         {"found", d.found},
         {"expected", d.expected},
         {"found_hash", d.found_hash},
         {"expected_hash", d.expected_hash},
         {"when", d.when},
         {"temperature_C", known(d.temperature_C)},
         {"clock_MHz", known(d.clock_MHz)}};
}

void from_json(const json& all, difference& d) {
  all.at("rank").get_to(d.rank);
  all.at("host").get_to(d.host);
  all.at("gpu").get_to(d.gpu);
  all.at("backend").get_to(d.backend);
  all.at("call").get_to(d.call);
  all.at("beside").get_to(d.beside);
  all.at("element").get_to(d.element);
  all.at("found").get_to(d.found);
  all.at("expected").get_to(d.expected);
  all.at("found_hash").get_to(d.found_hash);
  all.at("expected_hash").get_to(d.expected_hash);
  all.at("when").get_to(d.when);
  d.temperature_C = value_of(all.at("temperature_C"));
  d.clock_MHz = value_of(all.at("clock_MHz"));
}

std::string text(const difference& d) {
  std::string line = "DIFFERS: rank " + std::to_string(d.rank) + (d.host.empty() ? "" : " on " + d.host) +
                     (d.gpu.empty() ? "" : " (" + d.gpu + ")") + ", " + d.backend + ": " + d.call + " (" + d.beside +
                     "): ";
  if (!d.element.empty()) line += "element " + d.element + ": found " + d.found + ", expected " + d.expected + "; ";
  line += "hash " + d.found_hash + ", expected " + d.expected_hash;
  char sensed[64] = "";
  if (std::isfinite(d.temperature_C)) std::snprintf(sensed, sizeof sensed, "; %.0f C", d.temperature_C);
  line += sensed;
  if (std::isfinite(d.clock_MHz)) {
    std::snprintf(sensed, sizeof sensed, "; %.0f MHz", d.clock_MHz);
    line += sensed;
  }
  return line + "; " + d.when;
}

long long report::differences() const {
  long long all = 0;
  for (const rank_report& r : ranks) all += static_cast<long long>(r.differences.size()) + r.unlisted;
  return all;
}

void write_json(const report& all, const std::string& path) {
  nlohmann::ordered_json context = nlohmann::ordered_json::object(), file;
  for (const auto& [name, value] : all.context) context[name] = value;
  file["schema"] = "abax-verify 1";
  file["status"] = all.status;
  file["minutes"] = all.minutes;
  file["seconds"] = all.seconds;
  file["seed"] = all.seed;
  file["table"] = {{"calls", all.table_calls}, {"runs", all.table_runs}};
  file["cases"] = all.cases;
  file["differences"] = all.differences();
  file["context"] = context;
  file["ranks"] = json(all.ranks);
  write_whole(path, file.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace abax::perf::verify
