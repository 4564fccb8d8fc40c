// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Figures as data, one function for each kind: docs/lab/README.md shows what they write, report/figures.py draws it.
#include <limits>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace abax::lab {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  ///< left out of the data

/// Where a figure's numbers come from: the page draws these apart. Grids of banks and lines are always a model's.
inline constexpr const char *from_model = "model", *from_clock = "clock", *from_counter = "counter",
                            *from_output = "output";

/// What stands at a figure, whatever its kind. The caption explains it to a student in two or three sentences.
struct heading {
  std::string title, caption, x = "", y = "";
  std::string source = "";  ///< from_clock, ...; a series or a bar may have its own
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
  long first_byte, bytes;   ///< the drawn stretch
  std::vector<long> lanes;  ///< addresses
  int width;
  std::vector<long> sectors, lines;  ///< first bytes of those that are moved
  double asked_share_sectors, asked_share_lines;
};
figure line_grid(heading h, const std::vector<line_panel>& panels);

/// Predictions that the page shows beside what was counted for the launch of that label.
struct predicted_row {
  std::string label;
  std::string what;  ///< a name of the result's `counted`: "scratch_load_wavefronts", ...
  double predicted;
};
figure predicted_counted(heading h, const std::vector<predicted_row>& rows);
/// What the models say of every labelled launch so far: its wavefronts where space is "scratch", its sectors where
/// "global".
std::vector<predicted_row> predictions(const experiment_result& result, const std::string& space);

struct point {
  double x, y, low = unknown, high = unknown;
};
struct series {
  std::string name;
  std::vector<point> points;
  std::string source = "";  ///< where it is another than the figure's
};
figure lines(heading h, const std::vector<series>& all, bool log_x, bool log_y, const std::string& unit);

struct bar {
  std::string label;
  double value, low = unknown, high = unknown;
  double share = unknown;  ///< of what the ladder measures by, 1 = all
  std::string group = "";
  std::string source = "";  ///< where it is another than the figure's
};
figure bars(heading h, const std::vector<bar>& rows, const std::string& unit);    ///< on a linear scale
figure ladder(heading h, const std::vector<bar>& rows, const std::string& unit);  ///< on a logarithmic one

struct span_of_time {
  std::string label;
  double begin, end;  ///< milliseconds
};
struct timeline_lane {
  std::string name;
  std::vector<span_of_time> spans;
};
figure timeline(heading h, const std::vector<timeline_lane>& lanes);

figure table(heading h, const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace abax::lab
