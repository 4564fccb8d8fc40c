// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers.hpp"

#include <algorithm>
#include <stdexcept>

#include "../session.hpp"

namespace abax::perf {
namespace {

struct library {
  std::string name;
  finding (*find)(backend where, const std::string& file);
};

std::vector<library>& libraries() {
  static std::vector<library> all{
      {"mkl", find_mkl},
      {"openblas", find_openblas},
      {"blis", find_blis},
      {"kokkos-kernels",
       [](backend, const std::string&) -> finding {
         return {{}, "this build found none: -DKokkosKernels_ROOT=PREFIX, with the Kokkos that it stands on"};
       }},
      {"cublas", find_cublas},
      {"twin", find_twins},
      {"copy", find_copy}};
  return all;
}

}  // namespace

bool set_library(const std::string& name, finding (*find)(backend where, const std::string& file)) {
  std::ranges::find(libraries(), name, &library::name)->find = find;
  return true;
}

std::vector<std::string> peer_names() {
  std::vector<std::string> names{"abax"};
  for (const library& l : libraries()) names.push_back(l.name);
  return names;
}

peer_search find_peers(backend where, std::span<const std::string> names, std::span<const peer_file> files) {
  peer_search search;
  for (const library& l : libraries()) {
    if (!names.empty() && std::ranges::find(names, l.name) == names.end()) continue;
    const auto given = std::ranges::find(files, l.name, &peer_file::name);
    finding f = l.find(where, given == files.end() ? "" : given->path);
    if (f.found) {
      search.found.push_back(std::move(*f.found));
      search.names.push_back(l.name);
    } else if (!f.missing.empty()) {
      search.missing.emplace_back(l.name, f.missing);
    }
  }
  return search;
}

void require_found(std::span<const std::string> names, std::span<const peer_search> searches) {
  for (const std::string& name : names) {
    std::string places;
    bool found = name == "abax";
    for (const peer_search& s : searches) {
      found = found || std::ranges::find(s.names, name) != s.names.end();
      for (const auto& [missing, where] : s.missing)
        if (missing == name && places.find(where) == std::string::npos) places += (places.empty() ? "" : "; ") + where;
    }
    if (places.empty())  // all of the host's say where they were looked for
      places = has_device() ? "it is none of the chosen backends' (--backend)" : "this build has no GPU backend";
    if (!found) throw std::runtime_error("--variant " + name + " was not found: " + places);
  }
}

std::string text(const peer_search& search) {
  std::string all;
  for (const peer& p : search.found) all += (all.empty() ? "" : ", ") + p.name;
  const char* between = "; not here: ";
  for (const auto& [name, where] : search.missing) {
    all += between + name;
    between = ", ";
  }
  return all;
}

}  // namespace abax::perf
