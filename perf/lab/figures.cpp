// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "figures.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace abax::lab {
namespace {

using json = nlohmann::ordered_json;

void set(json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

figure made(const char* kind, heading& h, json data) {
  set(data, "source", h.source);
  return {kind, std::move(h.title), std::move(h.caption), std::move(h.x), std::move(h.y), data.dump()};
}

void set(json& object, const char* name, double value) {
  if (!std::isnan(value)) object[name] = value;
}

json rows_of(const std::vector<bar>& rows) {
  json all = json::array();
  for (const bar& b : rows) {
    json row{{"label", b.label}};
    set(row, "value", b.value);
    set(row, "low", b.low);
    set(row, "high", b.high);
    set(row, "share", b.share);
    set(row, "group", b.group);
    set(row, "source", b.source);
    all.push_back(row);
  }
  return all;
}

}  // namespace

figure bank_grid(heading h, const std::vector<bank_panel>& panels) {
  json all = json::array();
  for (const bank_panel& p : panels) {
    json cells = json::array();
    for (const auto& row : p.cells) {
      json line = json::array();
      for (const bank_cell& c : row) {
        json cell{{"lane", c.lane}, {"bank", c.bank}};
        if (c.padding) cell["pad"] = true;
        line.push_back(cell);
      }
      cells.push_back(line);
    }
    all.push_back({{"title", p.title},
                   {"width", p.width},
                   {"rows", p.cells.size()},
                   {"cols", p.cells.empty() ? 0 : p.cells[0].size()},
                   {"banks", 32},
                   {"cells", cells},
                   {"wavefronts", p.wavefronts},
                   {"ideal", p.ideal}});
  }
  return made("bank_grid", h, {{"panels", all}});
}

figure line_grid(heading h, const std::vector<line_panel>& panels) {
  json all = json::array();
  for (const line_panel& p : panels)
    all.push_back({{"title", p.title},
                   {"first_byte", p.first_byte},
                   {"bytes", p.bytes},
                   {"lanes", p.lanes},
                   {"width", p.width},
                   {"sectors", p.sectors},
                   {"lines", p.lines},
                   {"asked_share_sectors", p.asked_share_sectors},
                   {"asked_share_lines", p.asked_share_lines}});
  return made("line_grid", h, {{"panels", all}});
}

figure predicted_counted(heading h, const std::vector<predicted_row>& rows) {
  json all = json::array();
  for (const predicted_row& r : rows) all.push_back({{"label", r.label}, {"what", r.what}, {"predicted", r.predicted}});
  return made("predicted_counted", h, {{"rows", all}});
}

std::vector<predicted_row> predictions(const experiment_result& result, const std::string& space) {
  const std::string quantity = space == "scratch" ? "wavefronts" : "sectors";
  std::vector<predicted_row> rows;
  for (const case_result& c : result.cases)
    if (!c.label.empty())
      for (const access& a : c.accesses)
        if (a.space == space)
          rows.push_back(
              {c.label, space + (a.what.starts_with("load") ? "_load_" : "_store_") + quantity, a.model.at(quantity)});
  return rows;
}

figure lines(heading h, const std::vector<series>& all, bool log_x, bool log_y, const std::string& unit) {
  json drawn = json::array();
  for (const series& s : all) {
    json points = json::array();
    for (const point& p : s.points) {
      json values{p.x, p.y};
      if (!std::isnan(p.low) && !std::isnan(p.high)) values.insert(values.end(), {p.low, p.high});
      points.push_back(values);
    }
    json one{{"name", s.name}, {"points", points}};
    set(one, "source", s.source);
    drawn.push_back(one);
  }
  return made("lines", h, {{"series", drawn}, {"log_x", log_x}, {"log_y", log_y}, {"unit", unit}});
}

figure bars(heading h, const std::vector<bar>& rows, const std::string& unit) {
  return made("bars", h, {{"unit", unit}, {"rows", rows_of(rows)}});
}

figure ladder(heading h, const std::vector<bar>& rows, const std::string& unit) {
  return made("ladder", h, {{"unit", unit}, {"rows", rows_of(rows)}});
}

figure timeline(heading h, const std::vector<timeline_lane>& lanes) {
  json all = json::array();
  for (const timeline_lane& l : lanes) {
    json spans = json::array();
    for (const span_of_time& s : l.spans) spans.push_back({{"label", s.label}, {"begin", s.begin}, {"end", s.end}});
    all.push_back({{"name", l.name}, {"spans", spans}});
  }
  return made("timeline", h, {{"unit", "ms"}, {"lanes", all}});
}

figure table(heading h, const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  return made("table", h, {{"columns", columns}, {"rows", rows}});
}

}  // namespace abax::lab
