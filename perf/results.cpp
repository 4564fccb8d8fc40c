// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace abax::perf {
namespace {

using json = nlohmann::ordered_json;

// Five digits are more than any clock here is good for, and halve the file.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::stod(text);
}

json variant_json(const variant_result& v) {
  json samples = json::array();
  for (const double s : v.times.samples) samples.push_back(rounded(s));
  return {{"name", v.name},
          {"median", rounded(v.times.median)},
          {"minimum", rounded(v.times.best)},
          {"deviation", rounded(v.times.deviation)},
          {"ratio", rounded(v.ratio)},
          {"ratio_low", rounded(v.confidence.low)},
          {"ratio_high", rounded(v.confidence.high)},
          {"calls_per_sample", v.times.calls},
          {"samples", samples}};
}

json case_json(const case_result& c) {
  json variants = json::array();
  for (const variant_result& v : c.variants) variants.push_back(variant_json(v));
  return {{"kernel", c.kernel},
          {"type", c.type},
          {"shape", c.shape},
          {"m", c.m},
          {"n", c.n},
          {"k", c.k},
          {"backend", c.backend},
          {"operand_sets", c.sets},
          {"bits", c.bits},
          {"compared", c.samples},
          {"amount", c.amount},
          {"unit", c.unit},
          {"roof", c.roof},
          {"roof_rate", rounded(c.roof_rate)},
          {"variants", variants}};
}

std::string incoming_name(const std::string& path) { return path + ".incoming"; }

}  // namespace

void require_writable(const std::string& path) {
  std::ofstream out(incoming_name(path), std::ios::trunc);
  if (!out) throw std::runtime_error("cannot write " + incoming_name(path));
  out.close();
  unlink(incoming_name(path).c_str());
}

void write_json(const run_results& results, const std::string& path) {
  json context = json::object();
  for (const auto& [name, value] : results.context) context[name] = value;

  const std::string incoming = incoming_name(path);
  std::ofstream out(incoming, std::ios::trunc);
  out << "{\n\"schema\": \"abax-perf 1\",\n\"context\": " << context.dump(2) << ",\n\"cases\": [\n";
  const char* between = "";
  for (const case_result& c : results.cases) {  // a line each: differences between two files can be read
    out << between << case_json(c).dump();
    between = ",\n";
  }
  out << "\n]\n}\n";
  out.close();
  if (!out || std::rename(incoming.c_str(), path.c_str()) != 0) {
    unlink(incoming.c_str());
    throw std::runtime_error("could not write " + path);
  }
}

}  // namespace abax::perf
