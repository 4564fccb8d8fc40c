// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include <nlohmann/json.hpp>

#include "../suite/machine.hpp"
#include "../suite/results.hpp"

namespace abax::lab {
namespace {

using json = nlohmann::ordered_json;

json object_of(const auto& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

json case_json(const case_result& c) {
  json accesses = json::array();
  for (const access& a : c.accesses)
    accesses.push_back({{"what", a.what},
                        {"space", a.space},
                        {"width", a.width},
                        {"addresses", a.addresses},
                        {"model", object_of(a.model)}});
  return {{"name", c.name},
          {"backend", c.backend},
          {"variant", c.variant},
          {"label", c.label},
          {"checked", c.checked},
          {"accesses", accesses},
          {"given", object_of(c.given)},
          {"measured", object_of(c.measured)},
          {"counted", json::object()},
          {"output", object_of(c.output)},
          {"notes", object_of(c.notes)}};
}

json experiment_json(const experiment_result& e) {
  json cases = json::array(), figures = json::array();
  for (const case_result& c : e.cases) cases.push_back(case_json(c));
  for (const figure& f : e.figures)
    figures.push_back({{"kind", f.kind},
                       {"title", f.title},
                       {"caption", f.caption},
                       {"x", f.x},
                       {"y", f.y},
                       {"data", json::parse(f.data)}});
  return {{"name", e.name},         {"title", e.title}, {"text", e.text},
          {"left_out", e.left_out}, {"cases", cases},   {"figures", figures}};
}

}  // namespace

void write_json(const std::vector<experiment_result>& results, const std::string& path) {
  json device = json::object(), all = json::array();
  for (const perf::property_sheet& sheet : perf::property_sheets()) device[sheet.title] = object_of(sheet.lines);
  for (const experiment_result& e : results) all.push_back(experiment_json(e));
  json context = object_of(perf::describe_machine());
  context.update(object_of(perf::describe_environment()));
  const json file{{"schema", "abax-lab/1"},   {"version", ABAX_LAB_VERSION},
                  {"commit", perf::commit()}, {"context", context},
                  {"device", device},         {"experiments", all}};
  perf::write_whole(path, file.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace abax::lab
