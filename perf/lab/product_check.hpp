// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// What the products of operands 1 and 2 must be, for the rungs of the product ladder.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "../suite/check.hpp"
#include "rungs.hpp"

namespace abax::lab {

/// Elements (i, j) of C, gathered from wherever it lies.
struct at_places {
  const float* C;
  const index_t* at;
  float* to;

  KOKKOS_FUNCTION void operator()(index_t i) const { to[i] = C[at[i]]; }
};

/// Up to k = 2048 one chain is the canon; beyond, the classic kernels go on with it, and Abax joins blocks.
enum class order { chain, canon };

inline float expected(index_t n, const perf::place& p, order how) {
  const auto a = [&](index_t t) { return perf::input<float>(1, p.i * n + t); };
  const auto b = [&](index_t t) { return perf::input<float>(2, t * n + p.j); };
  if (how == order::canon) return perf::canonical_dot<float>(n, a, b);
  float sum = 0;
  for (index_t t = 0; t < n; ++t) sum = std::fma(a(t), b(t), sum);
  return sum;
}

/// 64 elements against the host's scalar loops, bit for bit, and that none was left out.
template <class Space>
std::string check(const case_result& c, index_t n, const array<Space>& C, order how) {
  index_t unwritten = 0;
  Kokkos::parallel_reduce("abax-lab::check", range<Space>(n * n), perf::count_poison<float>{C.data()}, unwritten);
  if (unwritten > 0) throw wrong_output(c, std::to_string(unwritten) + " elements were not written");
  const std::vector<perf::place> places = perf::sample(n, n, 60);
  Kokkos::View<index_t*, Kokkos::HostSpace> at("at", places.size());
  for (std::size_t i = 0; i < places.size(); ++i) at(i) = places[i].i * n + places[i].j;
  const auto there = Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), at);
  const array<Space> gathered("gathered", places.size());
  Kokkos::parallel_for("abax-lab::gather", range<Space>(static_cast<index_t>(places.size())),
                       at_places{C.data(), there.data(), gathered.data()});
  Space().fence();
  const std::vector<float> found = values_of(gathered);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (Kokkos::bit_cast<std::uint32_t>(found[i]) != Kokkos::bit_cast<std::uint32_t>(expected(n, places[i], how)))
      throw wrong_output(c, "element (" + std::to_string(places[i].i) + ", " + std::to_string(places[i].j) + ") of " +
                                std::to_string(n) + " x " + std::to_string(n));
  return "bits of " + std::to_string(places.size()) + " elements against " +
         (how == order::canon ? "the canon" : "one chain of multiply-adds") + ", all elements written";
}

/// Which tile the plan picks under a scratch capacity, and how fast it is: on a GPU.
void run_product_capacities(const settings& how, experiment_result& result, index_t n);

}  // namespace abax::lab
