// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start.hpp"

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdlib>
#include <future>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "abax/probe.hpp"
#include "stream.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif
#ifdef KOKKOS_ENABLE_CUDA
#include "abax/detail/backends/cuda/check.hpp"
#endif

namespace abax::c {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
constexpr bool host_needs_kokkos = false;
#else
constexpr bool host_needs_kokkos = true;
#endif

constinit std::atomic<bool> loaded = false, no_device = false, host_alone = false, stayed_with_parent = false;
constinit std::atomic<bool> being_started = false;
constinit std::mutex starting;

/// A device does not follow a process into its children, whoever started Kokkos and however far the start had come:
/// they have the host alone. A fork waits for nothing; the child's mutex is made anew, because the thread that held it
/// may not have come along.
[[maybe_unused]] const int at_load = [] {
#if __has_include(<pthread.h>)
  pthread_atfork(nullptr, nullptr, [] {
    if (has_device && (being_started || Kokkos::is_initialized())) no_device = stayed_with_parent = true;
    being_started = false;
    ::new (&starting) std::mutex;
  });
#endif
  loaded = true;
  return 0;
}();

/// The device goes before CUDA does, which is gone when the program's static variables go; a BLAS may be called later.
void stop_device() {
#ifdef KOKKOS_ENABLE_CUDA
  if (!no_device.exchange(true) && Kokkos::is_initialized()) Kokkos::Cuda::impl_finalize();
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

/// The host's part of Kokkos, or all of it. Kokkos would warn of settings that callers of a BLAS have never heard of.
void start_kokkos(bool device) {
  const auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
  if (device) {
    Kokkos::initialize(settings);
    std::atexit(stop_device);
  } else {
    Kokkos::Impl::pre_initialize(settings);
    Kokkos::DefaultHostExecutionSpace::impl_initialize(settings);
    host_alone = true;
  }
}

/// Debug builds, and programs whose user asks for it, do not go on where kernels misread the Views they capture.
[[maybe_unused]] bool probes() {
#ifdef NDEBUG
  const char* const asked = std::getenv("ABAX_PROBE");
  return asked != nullptr && asked[0] == '1';
#else
  return true;
#endif
}
void require_right_device() {
#ifdef KOKKOS_ENABLE_CUDA
  if (!probes()) return;
  if (const std::string fault = view_fault(Kokkos::Cuda()); !fault.empty()) Kokkos::abort(("abax: " + fault).c_str());
#endif
}

/// On a thread of its own: Kokkos does not start inside a parallel region, where a first call may well stand.
void start_kokkos_apart(bool device) {
  const struct start {
    start() { being_started = true; }
    ~start() { being_started = false; }
  } here;
  std::async(std::launch::async, [=] {
    const portable::gradual_underflow mode;
    start_kokkos(device);
  }).get();
}

}  // namespace

bool is_loaded() { return loaded; }
bool host_runs() { return !host_needs_kokkos || Kokkos::is_initialized() || host_alone; }
bool device_runs() { return has_device && !no_device && Kokkos::is_initialized(); }
void renounce_device() { no_device = no_device || !Kokkos::is_initialized(); }
bool device_stayed_with_parent() { return stayed_with_parent; }

bool start_host() {
  if (!host_needs_kokkos) return true;
  const std::lock_guard lock(starting);
  if (!host_runs() && loaded && !Kokkos::is_finalized()) start_kokkos_apart(!no_device && device_is_there());
  return host_runs();
}

bool start_device() {
  if (!has_device) return false;
  const std::lock_guard lock(starting);
  if (no_device || host_alone || !loaded || Kokkos::is_finalized()) return false;
  if (!Kokkos::is_initialized() && device_is_there()) start_kokkos_apart(true);
#ifdef KOKKOS_ENABLE_CUDA
  if (Kokkos::is_initialized() && !cuda::device_answers(Kokkos::Cuda().cuda_device()))
    no_device = stayed_with_parent = true;  // a child of a process that had started it before this library was loaded
#endif
  static constinit bool probed = false;
  if (device_runs() && !std::exchange(probed, true)) require_right_device();
  return device_runs();
}

void watch_forks() {
#ifdef KOKKOS_ENABLE_OPENMP
  openmp::process::uses_threads();
#endif
}

int device_ordinal() {
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Cuda().cuda_device();
#else
  return -1;
#endif
}

const char* device_name() {
#ifdef KOKKOS_ENABLE_CUDA
  static const std::string name = Kokkos::Cuda().cuda_device_prop().name;  // a process has one
  return name.c_str();
#else
  return device::name();
#endif
}

}  // namespace abax::c
