// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace abax::perf {
namespace {

bool wanted(std::span<const std::string> names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// "kokkos-kernels"
std::string option_of(const peer& p) {
  std::string name = p.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c == ' ' ? '-' : static_cast<char>(std::tolower(c)); });
  return name;
}

std::vector<linked_library>& linked_libraries() {
  static std::vector<linked_library> all;
  return all;
}

}  // namespace

bool add_library(const linked_library& library) {
  linked_libraries().push_back(library);
  return true;
}

std::vector<std::string> peer_names() {
  return {"abax", "mkl", "openblas", "blis", "kokkos-kernels", "cublas", "twin", "copy"};
}

peer_search find_peers(backend where, std::span<const std::string> names, std::span<const peer_file> files) {
  peer_search search;
  if (where == backend::host) find_host_libraries(search, names, files);
  if (where == backend::device && wanted(names, "cublas")) find_cublas(search);
  if (wanted(names, "kokkos-kernels")) {
    const auto& linked = linked_libraries();
    for (const linked_library& l : linked)
      if (std::optional<peer> p = l.find(where)) search.found.push_back(std::move(*p));
    if (linked.empty())
      search.missing.emplace_back(
          "kokkos-kernels", "this build found none: -DKokkosKernels_ROOT=PREFIX, with the Kokkos that it stands on");
  }
  if (where == backend::device && wanted(names, "twin")) find_twins(search);
  if (wanted(names, "copy")) find_copy(search, where);
  return search;
}

void require_found(std::span<const std::string> names, std::span<const peer_search> searches) {
  for (const std::string& name : names) {
    std::string places;
    bool found = name == "abax";
    for (const peer_search& s : searches) {
      found = found || std::any_of(s.found.begin(), s.found.end(), [&](const peer& p) { return option_of(p) == name; });
      for (const auto& [missing, where] : s.missing)
        if (missing == name && places.find(where) == std::string::npos) places += (places.empty() ? "" : "; ") + where;
    }
    if (found) continue;
    if (places.empty()) places = "it is none of the chosen backends' (--backend)";
    throw std::runtime_error("--variant " + name + " was not found: " + places);
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
