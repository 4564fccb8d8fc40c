// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/start.hpp"

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdlib>
#include <future>
#include <mutex>

#ifdef KOKKOS_ENABLE_CUDA
#include "backends/cuda/check.hpp"
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#include "backends/openmp/launch.hpp"
#endif

namespace abax::c {
namespace {

std::atomic<bool> host_alone = false;

/// The device goes before CUDA does, which is gone when the program's static variables go; a BLAS may be called later yet.
void stop_device() {
#ifdef KOKKOS_ENABLE_CUDA
  host_alone = true;
  if (Kokkos::is_initialized()) Kokkos::Cuda::impl_finalize();
#endif
}

/// False where Kokkos would end the program: it was built for a GPU, and there is none.
bool device_is_there() {
#ifdef KOKKOS_ENABLE_CUDA
  return cuda::device_is_visible();
#else
  return Kokkos::num_devices() != 0;
#endif
}

}  // namespace

machine running() {
  if (host_alone) return machine::host;
  return Kokkos::is_initialized() ? machine::all : machine::none;
}

machine start_kokkos() {
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (Kokkos::is_finalized() || running() != machine::none) return running();
  // On a thread of its own: Kokkos does not start inside a parallel region, where a first call may well stand. It would
  // warn of settings that callers of a BLAS have never heard of.
  std::async(std::launch::async, [] {
    const auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
    if (device_is_there()) {
      Kokkos::initialize(settings);
      std::atexit(stop_device);
      return;
    }
    Kokkos::Impl::pre_initialize(settings);
    Kokkos::DefaultHostExecutionSpace::impl_initialize(settings);
    host_alone = true;
  }).get();
  return running();
}

void watch_forks() {
#ifdef KOKKOS_ENABLE_OPENMP
  openmp::lost_threads::watch();
#endif
}

int device_ordinal() {
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Cuda().cuda_device();
#else
  return -1;
#endif
}

}  // namespace abax::c
