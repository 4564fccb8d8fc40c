// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "arguments.hpp"
#include "machine.hpp"
#include "random.hpp"
#include "ranks/ranks.hpp"

namespace abax::perf {
namespace {

bool chosen(const std::vector<std::string>& list, const std::string& x) {
  return list.empty() || std::ranges::find(list, x) != list.end();
}

bool chosen_kernel(const std::vector<std::string>& names, std::string_view name) {
  if (names.empty()) return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return name == n || name.starts_with(n + " "); });
}

std::vector<extents> shapes_of(const kernel& k, backend where, const selection& what) {
  std::vector<extents> shapes;
  for (const index_t n : what.sizes) shapes.push_back(shape_of_numbers(k.written, std::array{n, n, n}));
  for (const std::vector<index_t>& s : what.shapes)
    if (s.size() == std::strlen(k.written)) shapes.push_back(shape_of_numbers(k.written, s));
  const auto own = k.shapes(where);
  if (what.sizes.empty() && what.shapes.empty()) shapes.assign(own.begin(), own.end());
  return shapes;
}

/// What `abax-perf demo` runs: a GPU is given larger ones, too. The two backends' cases of one shape stand together.
std::vector<job> demo_jobs() {
  struct sizes {
    std::string_view kernel;
    std::vector<index_t> host, device;
  };
  static const sizes all[] = {{"gemv N", {1024, 8192}, {1024, 8192, 16384}},
                              {"gemv T", {1024, 8192}, {1024, 8192, 16384}},
                              {"gemm NN", {1024, 2048}, {1024, 4096, 8192}},
                              {"transpose", {1024, 8192}, {1024, 8192, 16384}},
                              {"increment", {1 << 24}, {1 << 24}}};
  std::vector<job> jobs;
  for (const kernel& k : kernels())
    for (const sizes& s : all) {
      if (s.kernel != k.name || k.complex()) continue;
      std::set<std::pair<index_t, backend>> both;
      for (const index_t n : s.host) both.emplace(n, backend::host);
      if (has_device())
        for (const index_t n : s.device) both.emplace(n, backend::device);
      for (const auto& [n, where] : both)
        jobs.push_back({&k, shape_of_numbers(k.written, std::array{n, n, n}), where, false});
    }
  return jobs;
}

void require_known(const std::vector<std::string>& names) {
  std::vector<std::string> known{"pgemm"};
  for (const kernel& k : kernels())
    for (const std::string& name : {std::string(k.name), std::string(k.name).substr(0, std::string(k.name).find(' '))})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  for (const std::string& name : names)
    if (!chosen(known, name))
      throw std::runtime_error("--kernel \"" + name + "\" is unknown" + suggestion(name, known) +
                               " (`abax-perf list` shows all)");
}

/// Too long for a quick run. Fixed amounts, so that two runs have the same cases.
bool is_long(const job& j) {
  const bool host = j.where == backend::host;
  return j.what->flops(j.shape) > (host ? 1e10 : 2e12) || j.what->bytes(j.shape) > (host ? 1e9 : 1e10);
}

/// So many of each kernel and type, one after another: a run that ends early has as many of each. What the machine's
/// memory does not hold is left out.
std::vector<job> random_jobs(const selection& what) {
  const std::vector<std::vector<const kernel*>> groups = groups_of(kernels_of(what));
  std::set<std::tuple<const kernel*, extents, backend>> known;
  std::vector<job> jobs;
  for (int number = 0; number < what.random; ++number)
    for (const std::vector<const kernel*>& group : groups)
      for (const backend where : backends_of(what)) {
        const drawn_case drawn = draw_case(group, what.seed, number, [&](const drawn_case& d) {
          const job j{d.what, d.shape, where, what.warm};
          return !is_long(j) && j.bytes() <= what.most_bytes && known.insert({d.what, d.shape, where}).second;
        });
        jobs.push_back({drawn.what, drawn.shape, where, what.warm});
      }
  std::erase_if(jobs, [](const job& j) { return !is_free(j.bytes_of_all_sets(), j.where); });
  return jobs;
}

}  // namespace

int job::sets() const {
  if (warm || (what->arithmetic() && where == backend::host)) return 1;
  return sets_past_cache(where, bytes());
}

double job::bytes_of_all_sets() const {
  const std::vector<lines> operands = what->operands(shape);
  const double results =
      operands.empty() ? double(shape.m) * double(shape.n) : static_cast<double>(operands.back().size());
  const int of_all = where == backend::host ? ranks::self().neighbours : 1;  // ranks share a node's memory
  return (bytes() + results * what->element) * sets() * of_all;
}

std::string text(const job& j) {
  return std::string(j.what->name) + " " + j.what->type + " " + shape_text(j.what->written, j.shape) + " " +
         backend_name(j.where);
}

bool asks_pgemm(const selection& what) { return !what.kernels.empty() && chosen(what.kernels, "pgemm"); }

std::vector<backend> backends_of(const selection& what) {
  std::vector<backend> found;
  if (chosen(what.backends, "host")) found.push_back(backend::host);
  if (has_device() && chosen(what.backends, "device")) found.push_back(backend::device);
  if (found.empty()) throw std::runtime_error("this build has no GPU backend: expected --backend host");
  return found;
}

std::vector<const kernel*> kernels_of(const selection& what) {
  require_known(what.kernels);
  std::vector<const kernel*> all;
  for (const kernel& k : kernels())
    if (chosen_kernel(what.kernels, k.name) && chosen(what.types, k.type)) all.push_back(&k);
  return all;
}

std::vector<job> jobs_of(const selection& what) {
  if (what.demo) return demo_jobs();
  std::vector<job> jobs;
  if (what.random > 0) jobs = random_jobs(what);
  for (const backend where : what.random > 0 ? std::vector<backend>() : backends_of(what))
    for (const kernel* const k : kernels_of(what)) {
      std::set<extents> chosen_twice;
      for (const extents& e : shapes_of(*k, where, what))
        if (chosen_twice.insert(e).second) jobs.push_back({k, e, where, what.warm});
    }
  if (what.quick) std::erase_if(jobs, is_long);
  if (jobs.empty() && !asks_pgemm(what))
    throw std::runtime_error("nothing is chosen: `abax-perf list` shows what there is");
  return jobs;
}

void require_memory(const std::vector<job>& jobs) {
  for (const job& j : jobs) require_free(text(j), j.bytes_of_all_sets(), j.where);
}

}  // namespace abax::perf
