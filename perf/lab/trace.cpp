// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "abax/detail/tile/banks.hpp"
#include "model/sectors.hpp"

namespace abax::lab {
namespace {

/// Calls each(warp) with the 32 addresses of every warp that takes part.
template <class Each>
void for_each_warp(const launch_shape& shape, const address& at, const Each& each) {
  constexpr int lanes = tile::banks::lanes;
  std::vector<long> warp(lanes);
  for (int team = 0; team < shape.teams; ++team)
    for (int first = 0; first < shape.threads; first += lanes)
      for (int step = 0; step < shape.steps; ++step) {
        for (int l = 0; l < lanes; ++l)
          warp[static_cast<std::size_t>(l)] = first + l < shape.threads ? at(team, first + l, step) : -1;
        if (std::any_of(warp.begin(), warp.end(), [](long a) { return a >= 0; })) each(warp);
      }
}

}  // namespace

access scratch_access(std::string what, int width, const launch_shape& shape, const address& at) {
  const tile::direction way = what.starts_with("load") ? tile::direction::load : tile::direction::store;
  access a{std::move(what), "scratch", width};
  for_each_warp(shape, at, [&](const std::vector<long>& warp) {
    const tile::banks::cost cost =
        tile::banks::of(way, width, [&](int l) { return warp[static_cast<std::size_t>(l)]; });
    if (a.addresses.empty()) {
      a.addresses = warp;
      a.model["wavefronts_per_request"] = cost.wavefronts;
    }
    a.model["requests"] += 1;
    a.model["wavefronts"] += cost.wavefronts;
    a.model["wavefronts_ideal"] += cost.ideal;
    a.model["bank_conflicts"] += cost.conflicts();
    a.model["worst_conflict"] = std::max(a.model["worst_conflict"], static_cast<double>(cost.worst));
  });
  return a;
}

access global_access(std::string what, int width, const launch_shape& shape, const address& at) {
  using model::sectors;
  access a{std::move(what), "global", width};
  for_each_warp(shape, at, [&](const std::vector<long>& warp) {
    const auto lane = [&](int l) { return warp[static_cast<std::size_t>(l)]; };
    if (a.addresses.empty()) {
      a.addresses = warp;
      a.model["sectors_per_request"] = sectors::count(width, lane);
      a.model["lines_per_request"] = sectors::lines(width, lane);
      a.model["share_of_sectors"] = sectors::share_of_sectors(width, lane);
      a.model["share_of_lines"] = sectors::share_of_lines(width, lane);
    }
    a.model["requests"] += 1;
    a.model["sectors"] += sectors::count(width, lane);
    a.model["lines"] += sectors::lines(width, lane);
    a.model["bytes_asked"] += sectors::asked(width, lane);
  });
  return a;
}

void add_union(access& a, const launch_shape& shape, const address& at) {
  std::set<long> all;
  for_each_warp(shape, at, [&](const std::vector<long>& warp) {
    std::copy_if(warp.begin(), warp.end(), std::inserter(all, all.end()), [](long lane) { return lane >= 0; });
  });
  const auto pieces = [&](int bytes) {
    std::set<long> touched;
    for (const long lane : all) touched.insert(lane / bytes);
    return static_cast<double>(touched.size());
  };
  a.model["bytes_asked_once"] = 4 * pieces(4);
  a.model["sectors_once"] = pieces(model::sectors::sector);
  a.model["lines_once"] = pieces(model::sectors::line);
}

}  // namespace abax::lab
