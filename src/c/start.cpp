// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/start.hpp"

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdlib>
#include <future>
#include <mutex>

#ifdef KOKKOS_ENABLE_CUDA
#include <pthread.h>

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
  if (!host_alone.exchange(true) && Kokkos::is_initialized()) Kokkos::Cuda::impl_finalize();
#endif
}

/// A device does not follow a process into its children: whoever starts Kokkos, they have the host alone.
void leave_device_to_parent() {
#ifdef KOKKOS_ENABLE_CUDA
  static const int watching = pthread_atfork(nullptr, nullptr, [] { host_alone = true; });
  static_cast<void>(watching);
  if (!cuda::device_answers(Kokkos::Cuda().cuda_device())) host_alone = true;  // this is such a child
#endif
}

/// Kokkos on a thread of its own: it does not start inside a parallel region, where a first call may well stand. It would
/// warn of settings that callers of a BLAS have never heard of.
template <class Start>
void start_apart(const Start& start) {
  std::async(std::launch::async, [&] { start(Kokkos::InitializationSettings().set_disable_warnings(true)); }).get();
}
void start_host_alone(const Kokkos::InitializationSettings& settings) {
  Kokkos::Impl::pre_initialize(settings);
  Kokkos::DefaultHostExecutionSpace::impl_initialize(settings);
  host_alone = true;
}

std::mutex starting;

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
  const std::lock_guard lock(starting);
  if (!Kokkos::is_finalized() && running() == machine::none)
    start_apart([](const auto& settings) {
      if (!device_is_there()) return start_host_alone(settings);
      Kokkos::initialize(settings);
      std::atexit(stop_device);
    });
  if (running() == machine::all) leave_device_to_parent();
  return running();
}

machine start_host() {
  const std::lock_guard lock(starting);
  if (!Kokkos::is_finalized() && running() == machine::none) start_apart(start_host_alone);
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
