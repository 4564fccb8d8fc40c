// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The models, asked about every access of a launch: warp by warp, with the addresses that the kernel computes itself.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiment.hpp"
#include "model/sectors.hpp"
#include "tile/banks.hpp"

namespace abax::lab {

/// What a launch consists of, as far as one of its accesses goes.
struct launch_shape {
  int teams, threads;  ///< of a team
  int steps = 1;       ///< times that a thread makes the access
};

/// Calls each(warp) with the 32 addresses of every warp that takes part. address(team, thread, step): bytes from an
/// origin that is a multiple of 128, or -1.
template <class Address, class Each>
void for_each_warp(const launch_shape& shape, const Address& address, const Each& each) {
  constexpr int lanes = tile::banks::lanes;
  std::vector<long> warp(lanes);
  for (int team = 0; team < shape.teams; ++team)
    for (int first = 0; first < shape.threads; first += lanes)
      for (int step = 0; step < shape.steps; ++step) {
        for (int l = 0; l < lanes; ++l)
          warp[static_cast<std::size_t>(l)] =
              first + l < shape.threads ? static_cast<long>(address(team, first + l, step)) : -1;
        if (std::any_of(warp.begin(), warp.end(), [](long at) { return at >= 0; })) each(warp);
      }
}

/// `what` begins with "load" or "store", here and below.
template <class Address>
access scratch_access(std::string what, int width, const launch_shape& shape, const Address& address) {
  const tile::direction way = what.starts_with("load") ? tile::direction::load : tile::direction::store;
  access a{std::move(what), "scratch", width, {}, {}};
  for_each_warp(shape, address, [&](const std::vector<long>& warp) {
    const auto at = [&](int l) { return warp[static_cast<std::size_t>(l)]; };
    const tile::banks::cost cost = tile::banks::of(way, width, at);
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

template <class Address>
access global_access(std::string what, int width, const launch_shape& shape, const Address& address) {
  access a{std::move(what), "global", width, {}, {}};
  for_each_warp(shape, address, [&](const std::vector<long>& warp) {
    const auto at = [&](int l) { return warp[static_cast<std::size_t>(l)]; };
    if (a.addresses.empty()) {
      a.addresses = warp;
      a.model["sectors_per_request"] = model::sectors::count(width, at);
      a.model["lines_per_request"] = model::sectors::lines(width, at);
      a.model["share_of_sectors"] = model::sectors::share_of_sectors(width, at);
      a.model["share_of_lines"] = model::sectors::share_of_lines(width, at);
    }
    a.model["requests"] += 1;
    a.model["sectors"] += model::sectors::count(width, at);
    a.model["lines"] += model::sectors::lines(width, at);
    a.model["bytes_asked"] += model::sectors::asked(width, at);
  });
  return a;
}

/// Adds what all warps of the launch touch together, each piece once: what comes from memory if the L2 keeps it for
/// those who ask again. For words of 4 bytes.
template <class Address>
void add_union(access& a, const launch_shape& shape, const Address& address) {
  std::set<long> words, sectors, lines;
  for_each_warp(shape, address, [&](const std::vector<long>& warp) {
    for (const long at : warp) {
      if (at < 0) continue;
      words.insert(at / 4);
      sectors.insert(at / model::sectors::sector);
      lines.insert(at / model::sectors::line);
    }
  });
  a.model["bytes_asked_once"] = 4 * static_cast<double>(words.size());
  a.model["sectors_once"] = static_cast<double>(sectors.size());
  a.model["lines_once"] = static_cast<double>(lines.size());
}

}  // namespace abax::lab
