// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What a call launched, for those who ask (ABAX_VERBOSE).
#include <algorithm>
#include <atomic>

namespace abax::launch {

struct trace {
  static constexpr int most_rows = 4;

  const char* rows[most_rows];  ///< of the backend's catalogue, each once, in the order of their launches
  int row_count;                ///< may be more than there is room for
  int most_teams;               ///< of one launch
};

/// The calling thread's launches are noted here; null: nowhere.
inline constinit thread_local trace* tracing = nullptr;
/// False while no thread's are, which is quicker to ask.
inline constinit std::atomic<bool> any_traced = false;

inline void note_traced(trace& to, const char* row, int teams) {
  to.most_teams = std::max(to.most_teams, teams);
  const char** const end = to.rows + std::min(to.row_count, trace::most_rows);
  if (std::find(to.rows, end, row) != end) return;
  if (to.row_count < trace::most_rows) to.rows[to.row_count] = row;
  ++to.row_count;
}

/// To be called where `row`, a text that stays, is launched.
[[gnu::always_inline]] inline void note(const char* row, int teams) {
  if (any_traced.load(std::memory_order_relaxed)) [[unlikely]]
    if (tracing != nullptr) note_traced(*tracing, row, teams);
}

}  // namespace abax::launch
