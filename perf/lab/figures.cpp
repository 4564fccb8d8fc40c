// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace abax::lab {

using json = nlohmann::ordered_json;

/// What a figure draws many of: the name of its list, and the list.
static figure made(const char* kind, heading& h, const char* of, const json& list, json more = json::object()) {
  if (list.empty()) return {};
  if (!h.source.empty()) more["source"] = h.source;
  more[of] = list;
  return {kind, std::move(h.title), std::move(h.caption), std::move(h.x), std::move(h.y), more.dump()};
}

void to_json(json& j, const bank_cell& c) {
  j = {{"lane", c.lane}, {"bank", c.bank}};
  if (c.padding) j["pad"] = true;
}

void to_json(json& j, const bank_panel& p) {
  j = {{"title", p.title},
       {"width", p.width},
       {"rows", p.cells.size()},
       {"cols", p.cells.empty() ? 0 : p.cells[0].size()},
       {"banks", 32},
       {"cells", p.cells},
       {"wavefronts", p.wavefronts},
       {"ideal", p.ideal}};
}

void to_json(json& j, const line_panel& p) {
  j = {{"title", p.title},
       {"first_byte", p.first_byte},
       {"bytes", p.bytes},
       {"lanes", p.lanes},
       {"width", p.width},
       {"sectors", p.sectors},
       {"lines", p.lines},
       {"asked_share_sectors", p.asked_share_sectors},
       {"asked_share_lines", p.asked_share_lines}};
}

void to_json(json& j, const point& p) {
  j = {p.x, p.y};
  if (!std::isnan(p.low) && !std::isnan(p.high)) j.insert(j.end(), {p.low, p.high});
}

void to_json(json& j, const series& s) { j = {{"name", s.name}, {"points", s.points}}; }

void to_json(json& j, const bar& b) {
  j = {{"label", b.label}, {"value", b.length.value}};
  for (const auto& [name, value] : {std::pair("low", b.length.low), {"high", b.length.high}, {"share", b.share}})
    if (!std::isnan(value)) j[name] = value;
  if (!b.group.empty()) j["group"] = b.group;
}

void to_json(json& j, const span_of_time& s) { j = {{"label", s.label}, {"begin", s.begin}, {"end", s.end}}; }

void to_json(json& j, const timeline_lane& l) { j = {{"name", l.name}, {"spans", l.spans}}; }

figure bank_grid(heading h, const std::vector<bank_panel>& panels) { return made("bank_grid", h, "panels", panels); }

figure line_grid(heading h, const std::vector<line_panel>& panels) { return made("line_grid", h, "panels", panels); }

figure predicted_counted(heading h, const experiment_result& result, const std::string& space) {
  const std::string what = space == "scratch" ? "wavefronts" : "sectors";
  json rows = json::array();
  for (const case_result& c : result.cases)
    for (const access& a : c.accesses)
      if (!c.label.empty() && a.space == space)
        rows.push_back({{"label", c.label},
                        {"what", space + (a.what.starts_with("load") ? "_load_" : "_store_") + what},
                        {"predicted", a.model.at(what)}});
  return made("predicted_counted", h, "rows", rows);
}

figure lines(heading h, const std::vector<series>& all, bool log_x, bool log_y, const std::string& unit) {
  std::vector<series> drawn;
  for (const series& s : all)
    if (!s.points.empty()) drawn.push_back(s);
  return made("lines", h, "series", drawn, {{"log_x", log_x}, {"log_y", log_y}, {"unit", unit}});
}

figure bars(heading h, const std::vector<bar>& rows, const std::string& unit) {
  h.source = from_clock;
  return made("bars", h, "rows", rows, {{"unit", unit}});
}

figure ladder(heading h, const std::vector<bar>& rows, const std::string& unit) {
  h.source = from_clock;
  return made("ladder", h, "rows", rows, {{"unit", unit}});
}

figure timeline(heading h, const std::vector<timeline_lane>& lanes) {
  h.source = from_clock;
  return made("timeline", h, "lanes", lanes, {{"unit", "ms"}});
}

figure table(heading h, const std::vector<std::string>& columns, const table_rows& rows) {
  return made("table", h, "rows", rows, {{"columns", columns}});
}

quantity time_in(double units, const std::string& each) {
  return [=](const case_result& c) -> std::optional<reading> {
    if (!c.measured.contains("seconds_median")) return std::nullopt;
    const double by = units / (each.empty() ? 1 : c.given.at(each));
    return reading{by * c.measured.at("seconds_median"), by * c.measured.at("seconds_low"),
                   by * c.measured.at("seconds_high")};
  };
}

quantity rate_of(const std::string& amount) {
  return [=](const case_result& c) -> std::optional<reading> {
    if (!c.measured.contains("seconds_median")) return std::nullopt;
    const double all = 1e-9 * c.given.at(amount);
    return reading{all / c.measured.at("seconds_median"), all / c.measured.at("seconds_high"),
                   all / c.measured.at("seconds_low")};
  };
}

const case_result* find(const experiment_result& result, const std::string& name, const std::string& variant,
                        const std::string& backend) {
  const auto found = std::find_if(result.cases.begin(), result.cases.end(), [&](const case_result& c) {
    return c.name == name && c.variant == variant && c.backend == backend;
  });
  return found == result.cases.end() ? nullptr : &*found;
}

std::vector<std::string> backends_of(const experiment_result& result) {
  std::vector<std::string> all;
  for (const case_result& c : result.cases)
    if (std::find(all.begin(), all.end(), c.backend) == all.end()) all.push_back(c.backend);
  return all;
}

series points_of(const experiment_result& result, const curve& c, const quantity& y) {
  series s{c.series};
  for (int x = c.first; x <= c.last; ++x)
    if (const case_result* const found = find(result, c.name(x), c.variant, c.backend))
      if (const auto r = y(*found)) s.points.push_back({static_cast<double>(x), r->value, r->low, r->high});
  return s;
}

std::vector<bar> bars_of(const std::vector<case_result>& cases, const quantity& length, const std::string& prefix) {
  std::vector<bar> rows;
  for (const case_result& c : cases)
    if (c.name.starts_with(prefix))
      if (const auto r = length(c))
        rows.push_back({c.name.substr(prefix.size()) + " (" + c.variant + ")", *r, c.backend});
  return rows;
}

std::string text_of(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace abax::lab
