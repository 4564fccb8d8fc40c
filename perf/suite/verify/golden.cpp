// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "golden.hpp"

#include <algorithm>
#include <optional>

#include "../interruption.hpp"
#include "../session.hpp"
#include "golden_table.hpp"

namespace abax::perf::golden {
namespace {

constexpr lay all_lays[] = {lay::columns, lay::rows, lay::gaps, lay::strides};
constexpr int attempts = 2;

bool right(const outcome& found, const call& c) { return found.hash == c.hash && !found.strayed; }

/// A result with the right hash, from wherever it can be had: other layouts, other backends, another attempt.
std::optional<outcome> right_outcome(const call& c, const std::vector<backend>& where) {
  for (int attempt = 0; attempt < attempts; ++attempt)
    for (const backend b : where)
      for (const lay lies : all_lays)
        if (outcome found = run(c, lies, b); right(found, c)) return found;
  return {};
}

/// The extents of an item of the result.
std::pair<index_t, index_t> extents_of(const call& c) {
  if (c.kernel == "gemmt" || c.kernel == "syrk" || c.kernel == "herk") return {c.n, c.n};
  if (c.kernel == "gemv" || c.kernel == "gemv_batched") return {c.m, 1};
  const bool is_number = c.kernel == "dot" || c.kernel == "dotc" || c.kernel == "sum" || c.kernel == "asum" ||
                         c.kernel == "nrm2" || c.kernel == "iamax";
  return is_number ? std::pair<index_t, index_t>{1, 1} : std::pair<index_t, index_t>{c.m, c.n};
}

/// Where number i of a result of `count` numbers stands.
std::string number_text(const call& c, std::size_t i, std::size_t count) {
  const auto [rows, cols] = extents_of(c);
  const index_t elements = rows * cols * c.items, parts = static_cast<index_t>(count) / elements;
  const index_t element = static_cast<index_t>(i) / parts;
  std::string text = place_text(element % rows, element / rows % cols);
  if (c.items > 1) text += " of item " + std::to_string(element / (rows * cols));
  if (parts == 2) text += i % 2 == 0 ? ", real part" : ", imaginary part";
  return text;
}

verify::difference described(const call& c, lay lies, backend where, const outcome& found,
                             const std::vector<backend>& all) {
  verify::difference d;
  d.backend = backend_name(where);
  d.call = text_of(c) + ", " + lay_names[static_cast<std::size_t>(lies)];
  d.beside = found.strayed ? "table; memory outside of the result was written" : "table";
  d.found_hash = hex(found.hash);
  d.expected_hash = hex(c.hash);
  if (const std::optional<outcome> other = right_outcome(c, all)) {
    const auto [mine, theirs] = std::ranges::mismatch(found.bits, other->bits);
    if (mine != found.bits.end()) {
      const int digits = c.type == "f32" || c.type == "c64" ? 8 : 16;
      d.element = number_text(c, static_cast<std::size_t>(mine - found.bits.begin()), found.bits.size());
      d.found = hex(*mine, digits);
      d.expected = hex(*theirs, digits);
    }
  }
  return d;
}

}  // namespace

std::vector<call> own_calls() { return calls_of(golden_table); }

std::vector<tally> run_all(const std::vector<call>& calls, const std::vector<backend>& where,
                           const std::function<void(verify::difference)>& report) {
  std::vector<tally> all;
  for (const call& c : calls)
    for (const backend b : where) {
      const std::string name = backend_name(b);
      auto of_kernel =
          std::ranges::find_if(all, [&](const tally& t) { return t.kernel == c.kernel && t.backend == name; });
      if (of_kernel == all.end()) of_kernel = all.insert(all.end(), {c.kernel, name});
      ++of_kernel->calls;
      bool differs = false;
      for (const lay lies : all_lays) {
        if (came_signal() != 0) return all;
        ++of_kernel->runs;
        const outcome found = run(c, lies, b);
        if (right(found, c)) continue;
        differs = true;
        report(described(c, lies, b, found, where));
      }
      of_kernel->differ += differs;
    }
  return all;
}

}  // namespace abax::perf::golden
