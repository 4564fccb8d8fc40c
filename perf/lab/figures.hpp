// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Figures as data, one function for each kind: docs/lab/README.md shows what they write, and perf/tools/report/ draws
/// it. What has nothing to show is empty, and experiment_result::draw leaves it out.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace abax::lab {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  ///< left out of the data

/// Where a figure's numbers come from: the page draws these apart. Grids of banks and lines are always a model's.
inline constexpr const char *from_model = "model", *from_clock = "clock", *from_output = "output";

/// What stands at a figure, whatever its kind. The caption explains it to a student in two or three sentences.
struct heading {
  std::string title, caption, x = "", y = "";
  std::string source = "";  ///< from_clock, ...
};

/// A tile's words as they lie in the banks, and the lane of the drawn access that asks for each.
struct bank_cell {
  int lane;  ///< -1: no lane of this access
  int bank;
  bool padding = false;  ///< a word of the line that is no element of the tile
};
struct bank_panel {
  std::string title;
  int width;                                  ///< bytes a lane
  std::vector<std::vector<bank_cell>> cells;  ///< rows of the tile
  int wavefronts, ideal;
};
figure bank_grid(heading h, const std::vector<bank_panel>& panels);

/// A warp's access to global memory over sectors and lines.
struct line_panel {
  std::string title;
  std::vector<long> lanes;  ///< addresses
  double asked_share_sectors, asked_share_lines;
  long first_byte = 0, bytes = 512;  ///< the drawn stretch
  int width = 4;
  std::vector<long> sectors = {}, lines = {};  ///< first bytes of those that are moved
};
figure line_grid(heading h, const std::vector<line_panel>& panels);

/// What the models say of every labelled launch so far, which the page shows beside what was counted: wavefronts where
/// `space` is "scratch", sectors where it is "global".
figure predicted_counted(heading h, const experiment_result& result, const std::string& space);

/// What a case says by a clock or a model; the interval is a median's of 95 %.
struct reading {
  double value, low = unknown, high = unknown;
};
/// Nothing where the case does not know, as where it was not timed.
using quantity = std::function<std::optional<reading>(const case_result&)>;
/// The time of what the case gives one or more of ("rounds", "steps"), or of the call, in units of which a second has
/// `units`.
quantity time_in(double units, const std::string& each = "");
/// `amount` ("bytes", "flops") a second, in units of 1e9.
quantity rate_of(const std::string& amount);

struct point {
  double x, y, low = unknown, high = unknown;
};
struct series {
  std::string name;
  std::vector<point> points = {};
};
figure lines(heading h, const std::vector<series>& all, bool log_x, bool log_y, const std::string& unit);

/// The cases of one backend and variant that are called name(x).
struct curve {
  std::string series, backend, variant;
  int first, last;
  std::function<std::string(int x)> name;
};
series points_of(const experiment_result& result, const curve& c, const quantity& y);
const case_result* find(const experiment_result& result, const std::string& name, const std::string& variant,
                        const std::string& backend);
/// The backends that the result has cases of.
std::vector<std::string> backends_of(const experiment_result& result);

struct bar {
  std::string label;
  reading length;
  std::string group = "";
  double share = unknown;  ///< of what the ladder measures by, 1 = all
};
/// By the clock, on a linear scale.
figure bars(heading h, const std::vector<bar>& rows, const std::string& unit);
figure ladder(heading h, const std::vector<bar>& rows, const std::string& unit);  ///< on a logarithmic one
/// "name (variant)" of each case that was timed and whose name begins with `prefix`, which is left out.
std::vector<bar> bars_of(const std::vector<case_result>& cases, const quantity& length, const std::string& prefix = "");

struct span_of_time {
  std::string label;
  double begin, end;  ///< milliseconds
};
struct timeline_lane {
  std::string name;
  std::vector<span_of_time> spans = {};
};
figure timeline(heading h, const std::vector<timeline_lane>& lanes);

using table_rows = std::vector<std::vector<std::string>>;
figure table(heading h, const std::vector<std::string>& columns, const table_rows& rows);

/// "%.4g"-like texts for a table's cells.
std::string text_of(const char* format, double value);

}  // namespace abax::lab
