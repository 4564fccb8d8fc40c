// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../suite/results.hpp"

#include <nlohmann/json.hpp>

#include "../suite/machine.hpp"
#include "experiment.hpp"

namespace abax::lab {

using json = nlohmann::ordered_json;

void to_json(json& j, const access& a) {
  j = {{"what", a.what}, {"space", a.space}, {"width", a.width}, {"addresses", a.addresses}, {"model", a.model}};
}

void to_json(json& j, const case_result& c) {
  j = {{"name", c.name},     {"backend", c.backend},   {"variant", c.variant},
       {"label", c.label},   {"checked", c.checked},   {"accesses", c.accesses},
       {"given", c.given},   {"measured", c.measured}, {"counted", json::object()},
       {"output", c.output}, {"notes", c.notes}};
}

void to_json(json& j, const figure& f) {
  j = {{"kind", f.kind}, {"title", f.title}, {"caption", f.caption},
       {"x", f.x},       {"y", f.y},         {"data", json::parse(f.data)}};
}

void to_json(json& j, const experiment_result& e) {
  j = {{"name", e.name},         {"title", e.title}, {"text", e.text},
       {"left_out", e.left_out}, {"cases", e.cases}, {"figures", e.figures}};
}

void write_json(const std::vector<experiment_result>& results, const std::string& path) {
  const auto object_of = [](const perf::text_lines& lines) {  // in their order
    json object = json::object();
    for (const auto& [name, value] : lines) object[name] = value;
    return object;
  };
  json device = json::object(), context = object_of(perf::describe_machine());
  for (const perf::property_sheet& sheet : perf::property_sheets()) device[sheet.title] = object_of(sheet.lines);
  context.update(object_of(perf::describe_environment()));
  const json file{{"schema", "abax-lab/1"},   {"version", ABAX_LAB_VERSION},
                  {"commit", perf::commit()}, {"context", context},
                  {"device", device},         {"experiments", results}};
  perf::write_whole(path, file.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace abax::lab
