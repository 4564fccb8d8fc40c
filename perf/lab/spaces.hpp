// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Execution spaces for the experiments, and what they have in common there.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../suite/machine.hpp"
#include "experiment.hpp"

namespace abax::lab {

using host = Kokkos::DefaultHostExecutionSpace;
using device = Kokkos::DefaultExecutionSpace;  // the host's again in a build without a GPU

template <class Space>
inline constexpr backend backend_of = std::is_same_v<Space, host> ? backend::host : backend::device;

/// Calls each(Space()) for the backends that were asked for.
template <class Each>
void for_each_space(const settings& how, const Each& each) {
  if (how.wants(backend::host)) each(host());
  if constexpr (!std::is_same_v<host, device>)
    if (how.wants(backend::device)) each(device());
}

/// A league of teams of `threads` threads, with `bytes` of scratch: on the host a team is one thread, which does the
/// work of all of them.
template <class Space>
auto teams(int league, int threads, std::size_t bytes) {
  Kokkos::TeamPolicy<Space> policy(league, backend_of<Space> == backend::host ? 1 : threads);
  return policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
}

/// A case of this space, with the label of its launch where it is counted.
template <class Space>
case_result case_of(const char* experiment, std::string name, std::string variant) {
  case_result c{std::move(name), perf::backend_name(backend_of<Space>), std::move(variant), "", "", {}, {}, {}, {}, {}};
  if (backend_of<Space> == backend::device) c.label = label_of(experiment, c);
  return c;
}

/// A copy for the host to look at.
template <class View>
std::vector<typename View::non_const_value_type> values_of(const View& view) {
  std::vector<typename View::non_const_value_type> values(view.size());
  Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> to(values.data(),
                                                                                                    values.size());
  Kokkos::deep_copy(to, view);
  return values;
}

}  // namespace abax::lab
