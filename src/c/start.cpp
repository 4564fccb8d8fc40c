// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/start.hpp"

#include <Kokkos_Core.hpp>
#include <future>
#include <mutex>

namespace abax::c {

bool start_kokkos() {
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (Kokkos::is_finalized()) return false;
  if (Kokkos::is_initialized()) return true;
  // On a thread of its own: Kokkos does not start inside a parallel region, where a first call may well stand. It would
  // warn of settings that callers of a BLAS have never heard of.
  std::async(std::launch::async, [] {
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  }).get();
  return true;
}

}  // namespace abax::c
