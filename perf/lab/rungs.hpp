// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The rungs of a ladder: kernels for the same result, each launched and checked, then all timed together.
#include <Kokkos_Core.hpp>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../suite/check.hpp"
#include "figures.hpp"
#include "spaces.hpp"

namespace abax::lab {

template <class Space, class T = float>
using array = Kokkos::View<T*, typename Space::memory_space>;

template <class Space>
Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>> range(index_t n) {
  return {0, n};
}

/// Random numbers that every machine knows without reading them; `number` says which operand's.
template <class Space>
array<Space> random_floats(const std::string& name, int number, index_t n) {
  array<Space> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), static_cast<std::size_t>(n));
  Kokkos::parallel_for("abax-lab::fill", range<Space>(n), perf::fill_inputs<float>{number, n, x.data()});
  return x;
}

/// Every element becomes what no kernel stores.
template <class Space>
void poison(const array<Space>& x) {
  Kokkos::parallel_for("abax-lab::poison", range<Space>(static_cast<index_t>(x.size())),
                       perf::fill_poison<float>{x.data()});
  Space().fence();
}
template <class Space>
array<Space> poisoned(const std::string& name, index_t n) {
  array<Space> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), static_cast<std::size_t>(n));
  poison<Space>(x);
  return x;
}

/// How many i < n have wrong(i).
template <class Space, class Wrong>
index_t count(index_t n, const Wrong& wrong) {
  index_t found = 0;
  Kokkos::parallel_reduce("abax-lab::check", range<Space>(n), wrong, found);
  return found;
}

/// Counts elements whose bits differ.
struct differs {
  const float *x, *y;

  KOKKOS_FUNCTION void operator()(index_t i, index_t& n) const {
    n += Kokkos::bit_cast<std::uint32_t>(x[i]) != Kokkos::bit_cast<std::uint32_t>(y[i]);
  }
};

/// The rungs of one backend.
class rungs {
 public:
  rungs(const settings& how, backend where, experiment_result& result) : how_(how), where_(where), result_(result) {}

  /// Launches once, under the case's label, and has the output checked: check() throws, or says what was compared.
  case_result& add(case_result c, std::function<void()> launch, const std::function<std::string()>& check,
                   timed_by clock = timed_by::events) {
    labelled(c.label, launch);
    fence(where_);
    c.checked = check();
    all_.push_back({std::move(c), std::move(launch), clock});
    return all_.back().result;
  }

  /// Times all rungs and adds their cases to the experiment's result; returns them. "bytes" and "flops" become rates.
  std::vector<case_result> finish() {
    std::vector<timed_case> timed;
    for (rung& r : all_) timed.push_back({&r.result, r.launch, r.clock});
    time_together(how_, where_, timed);
    for (rung& r : all_) {
      const double seconds = seconds_of(r.result);
      for (const char* const what : {"bytes", "flops"})
        if (r.result.given.count(what) > 0 && seconds > 0)
          r.result.measured[std::string(what) + "_per_second"] = r.result.given[what] / seconds;
      result_.cases.push_back(r.result);
    }
    return {result_.cases.end() - static_cast<std::ptrdiff_t>(all_.size()), result_.cases.end()};
  }

  static double seconds_of(const case_result& c) {
    const auto at = c.measured.find("seconds_median");
    return at == c.measured.end() ? 0 : at->second;
  }

 private:
  struct rung {
    case_result result;
    std::function<void()> launch;
    timed_by clock;
  };
  const settings& how_;
  backend where_;
  experiment_result& result_;
  std::deque<rung> all_;  // whose addresses last
};

/// A bar for each case that was timed: `amount` ("bytes" or "flops") a second in units of 1e9, with the median's
/// interval. share: of `whole`, in the same unit, where it is not 0.
inline std::vector<bar> rate_bars(const std::vector<case_result>& cases, const std::string& amount, double whole = 0) {
  std::vector<bar> rows;
  for (const case_result& c : cases) {
    const auto rate = c.measured.find(amount + "_per_second");
    if (rate == c.measured.end()) continue;
    const double all = c.given.at(amount);
    bar b{c.name + " (" + c.variant + ")", rate->second * 1e-9, all / c.measured.at("seconds_high") * 1e-9,
          all / c.measured.at("seconds_low") * 1e-9};
    if (whole > 0) b.share = b.value / whole;
    b.group = c.backend;
    b.source = from_clock;
    rows.push_back(b);
  }
  return rows;
}

/// Quick runs and profiled ones are small.
inline bool small(const settings& how) { return how.quick || how.once; }

}  // namespace abax::lab
