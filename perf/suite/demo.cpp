// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "ceilings.hpp"
#include "kernels.hpp"
#include "machine.hpp"
#include "output.hpp"
#include "table.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

constexpr double budget = 1.0;  // seconds of timing for each row: two minutes in all on two cores, with room

/// The sizes of the classic examples, and those that only a GPU is given.
struct sizes {
  std::string_view kernel;
  std::vector<index_t> host, device;
  extents (*shape)(index_t n);
};
const std::vector<sizes>& all_sizes() {
  static const auto vector_product = [](index_t n) { return extents{n, 1, n}; };
  static const auto matrix_product = [](index_t n) { return extents{n, n, n}; };
  static const auto matrix = [](index_t n) { return extents{n, n, 1}; };
  static const auto vector = [](index_t n) { return extents{n, 1, 1}; };
  static const std::vector<sizes> list{{"gemv N", {1024, 8192}, {1024, 8192, 16384}, vector_product},
                                       {"gemv T", {1024, 8192}, {1024, 8192, 16384}, vector_product},
                                       {"gemm NN", {1024, 2048}, {1024, 4096, 8192}, matrix_product},
                                       {"transpose", {1024, 8192}, {1024, 8192, 16384}, matrix},
                                       {"increment", {1 << 24}, {1 << 24}, vector}};
  return list;
}

struct job {
  const kernel* what;
  extents shape;
  backend where;
};

/// The two backends' rows of one shape stand together, the host's first: the GPU's result is compared with it.
std::vector<job> all_jobs() {
  std::vector<job> jobs;
  for (const kernel& k : kernels())
    for (const sizes& s : all_sizes()) {
      if (s.kernel != k.name) continue;
      std::vector<index_t> both = s.host;
      if (has_device()) both.insert(both.end(), s.device.begin(), s.device.end());
      std::sort(both.begin(), both.end());
      both.erase(std::unique(both.begin(), both.end()), both.end());
      const auto has = [](const std::vector<index_t>& list, index_t n) {
        return std::count(list.begin(), list.end(), n) > 0;
      };
      for (const index_t n : both) {
        if (has(s.host, n)) jobs.push_back({&k, s.shape(n), backend::host});
        if (has_device() && has(s.device, n)) jobs.push_back({&k, s.shape(n), backend::device});
      }
    }
  return jobs;
}

/// Checks, times, and prints one row.
class runner {
 public:
  runner(const ceilings& host, const ceilings& device) : host_(host), device_(device) {}

  table_row run(const job& j) {
    const std::unique_ptr<workload> work =
        j.what->prepare(j.where, j.shape, sets_past_cache(j.where, j.what->bytes(j.shape)), {});
    const verdict v = work->check();
    std::string bits = judge(j, v);
    const timing t = measure(
                         1, [&](int v) { work->run(v); }, [&] { work->fence(); },
                         {budget, j.where == backend::host ? host_sample : device_sample})
                         .front();
    if (bits == "same" && !work->unchanged(v.checksum)) bits = "changed from run to run";
    samples_ += v.samples;
    wrong_ += bits != "same";

    const bool arithmetic = j.what->bound == roof::fma;
    const double amount = arithmetic ? j.what->flops(j.shape) : j.what->bytes(j.shape);
    const double rate = amount / t.median;
    const double ceiling = (j.where == backend::host ? host_ : device_).of(j.what->bound, j.what->element);
    return {
        j.what->name,
        j.what->type,
        j.what->written->text(j.shape),
        backend_name(j.where),
        time_text(t.median),
        rate_text(rate, arithmetic ? "GFLOP/s" : "GB/s   "),
        number(100 * rate / ceiling, 0, ("% of " + std::string(roof_names[static_cast<int>(j.what->bound)])).c_str()),
        bits};
  }

  int wrong() const { return wrong_; }
  int samples() const { return samples_; }
  int compared() const { return compared_; }

 private:
  std::string judge(const job& j, const verdict& v) {
    if (v.wrong > 0) return std::to_string(v.wrong) + " of " + std::to_string(v.samples) + " wrong";
    if (v.unwritten > 0) return std::to_string(v.unwritten) + " elements not written";
    const auto key = std::make_tuple(j.what, j.shape);
    if (j.where == backend::host) {
      checksums_[key] = v.checksum;
    } else if (const auto host = checksums_.find(key); host != checksums_.end()) {
      ++compared_;
      if (host->second != v.checksum) return "not those of " + backend_name(backend::host);
    }
    return "same";
  }

  ceilings host_, device_;
  std::map<std::tuple<const kernel*, extents>, std::uint64_t> checksums_;
  int wrong_ = 0, samples_ = 0, compared_ = 0;
};

}  // namespace

bool demo() {
  const auto begin = std::chrono::steady_clock::now();
  const double waited_before = seconds_waited();
  std::printf("Abax: the main job, checked and timed.\n\n");
  for (const auto& [name, value] : describe_machine()) std::printf("%-7s %s\n", name.c_str(), value.c_str());
  std::fflush(stdout);

  const std::vector<job> jobs = all_jobs();
  progress line(static_cast<int>(jobs.size()) + (has_device() ? 2 : 1));
  ceilings found[2] = {};
  for (const backend where : {backend::host, backend::device}) {
    if (where == backend::device && !has_device()) break;
    line.step("what " + backend_name(where) + " can do at most");
    found[static_cast<int>(where)] = measure_ceilings(where);
    line.clear();
    print({{backend_name(where), ceilings_text(found[static_cast<int>(where)])}});
  }
  std::printf("\n");

  const table results;
  results.heading();
  runner all(found[0], found[1]);
  for (const job& j : jobs) {
    line.step(std::string(j.what->name) + " " + j.what->type + " " + j.what->written->text(j.shape) + " " +
              backend_name(j.where));
    const table_row row = all.run(j);
    line.clear();
    results.print(row);
  }

  std::printf(
      "\nMatrices are column-major. Operands rotate through more memory than the last cache holds, and are\n"
      "counted as read once and written once. The ceilings above were measured just now.\n");
  std::printf(
      "bits: %d elements in all, corners among them, recomputed on the host term by term in the canon's order\n"
      "and compared bit for bit; no element of a result left unwritten; repeated runs compared by a checksum of\n"
      "all bits.\n",
      all.samples());
  if (all.compared() > 0)
    std::printf("%s and %s ran %d rows on the same operands: compared over all elements, by that checksum.\n",
                backend_name(backend::device).c_str(), backend_name(backend::host).c_str(), all.compared());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double taken = (seconds_waited() - waited_before) / seconds;
  if (taken > 0.03)
    std::printf("Other programs had the CPU for %.0f %% of the time: the CPU's figures are too low.\n", 100 * taken);
  if (all.wrong() == 0)
    std::printf("\nAll %zu results have the same bits. %.0f s.\n", jobs.size(), seconds);
  else
    std::printf("\n%d of %zu results are WRONG. %.0f s.\n", all.wrong(), jobs.size(), seconds);
  return all.wrong() == 0;
}

}  // namespace abax::perf
