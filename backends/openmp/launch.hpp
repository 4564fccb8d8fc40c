// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Launching teams of one thread each, as Kokkos' TeamPolicy does, at a fraction of its cost: a small product is over
/// before TeamPolicy has begun.
#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include "backends/openmp/memory.hpp"
#include "backends/portable/gradual_underflow.hpp"

namespace abax::openmp {

/// What an algorithm asks of a Kokkos team member, for a team that is one thread.
class member {
 public:
  KOKKOS_FUNCTION member(std::byte* scratch, int rank, int size) : scratch_(scratch), rank_(rank), size_(size) {}

  KOKKOS_FUNCTION int league_rank() const { return rank_; }
  KOKKOS_FUNCTION int league_size() const { return size_; }
  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
  KOKKOS_FUNCTION void team_barrier() const {}
  template <class T>
  KOKKOS_FUNCTION void team_broadcast(T&, int) const {}

  /// The next `bytes` of the team's scratch, which starts a cache line.
  KOKKOS_FUNCTION void* take_scratch(std::size_t bytes) const {
    std::byte* const taken = scratch_;
    scratch_ += (bytes + 63) / 64 * 64;
    return taken;
  }

 private:
  mutable std::byte* scratch_;
  int rank_, size_;
};

/// The teams that a thread has yet to run: it takes them in ascending order, others that are done help from the end.
class alignas(64) share {
 public:
  void set(std::uint32_t first, std::uint32_t last) { range_.store(pack(first, last), std::memory_order_relaxed); }
  /// The team taken; -1 if there is none.
  int take_first() {
    return take([](std::uint32_t& first, std::uint32_t&) { return first++; });
  }
  int take_last() {
    return take([](std::uint32_t&, std::uint32_t& last) { return --last; });
  }

 private:
  static std::uint64_t pack(std::uint32_t first, std::uint32_t last) { return std::uint64_t(last) << 32 | first; }
  template <class Take>
  int take(const Take& take_from) {
    std::uint64_t now = range_.load(std::memory_order_relaxed);
    for (;;) {
      auto first = static_cast<std::uint32_t>(now), last = static_cast<std::uint32_t>(now >> 32);
      if (first >= last) return -1;
      const std::uint32_t team = take_from(first, last);
      if (range_.compare_exchange_weak(now, pack(first, last), std::memory_order_relaxed))
        return static_cast<int>(team);
    }
  }

  std::atomic<std::uint64_t> range_;
};

/// Scratch of `bytes` for each of `threads` threads, and a share of the teams each, kept by the launching thread.
/// Whole pages to a thread: in a launch that finds the memory as it was left, each lies near the core that uses it.
class team_memory {
 public:
  team_memory(int threads, std::size_t bytes)
      : stride_((bytes + page_size(bytes) - 1) / page_size(bytes) * page_size(bytes)),
        shares_at_(stride_ * threads),
        memory_(kept_buffer<team_memory>()) {
    memory_.grow(shares_at_ + sizeof(share) * threads);
  }
  std::byte* scratch(int thread) const { return memory_.data() + stride_ * thread; }
  share& teams_of(int thread) const {
    return *std::launder(reinterpret_cast<share*>(memory_.data() + shares_at_ + sizeof(share) * thread));
  }
  void divide(int teams, int threads) const {
    for (int t = 0; t < threads; ++t) {
      const auto first = [&](int thread) { return static_cast<std::uint32_t>(std::int64_t(teams) * thread / threads); };
      (new (memory_.data() + shares_at_ + sizeof(share) * t) share)->set(first(t), first(t + 1));
    }
  }

 private:
  std::size_t stride_, shares_at_;
  buffer& memory_;
};

/// functor(member) for every team, on `threads` threads or as many of them as OpenMP gives.
template <class Functor>
void run_teams(int threads, int teams, std::size_t scratch, const Functor& functor) {
  const team_memory memory(threads, scratch);
  if (threads == 1) {
    const portable::gradual_underflow mode;
    for (int rank = 0; rank < teams; ++rank) functor(member(memory.scratch(0), rank, teams));
    return;
  }
  memory.divide(teams, threads);
#pragma omp parallel num_threads(threads)
  {
    const portable::gradual_underflow mode;
    const int self = omp_get_thread_num();
    const auto run = [&](int rank) { functor(member(memory.scratch(self), rank, teams)); };
    for (int rank; (rank = memory.teams_of(self).take_first()) >= 0;) run(rank);
    for (int other = 1; other < threads; ++other)
      for (int rank; (rank = memory.teams_of((self + other) % threads).take_last()) >= 0;) run(rank);
  }
}

/// Whether this process was forked from one in which OpenMP had threads. They did not come along, and a parallel region
/// would wait for them for ever.
class lost_threads {
 public:
  static bool value() { return lost; }
  /// To be called before a launch takes more threads than the caller.
  static void watch() {
#if __has_include(<pthread.h>)
    static const int watching = pthread_atfork(nullptr, nullptr, [] { lost = true; });
    static_cast<void>(watching);
#endif
  }

 private:
  static inline bool lost = false;
};

/// Threads that work on a launch: the instance's own, but one inside a parallel region that OpenMP does not nest.
inline int threads_of(const Kokkos::OpenMP& exec) {
  if (lost_threads::value()) return 1;
  const Kokkos::Impl::OpenMPInternal& instance = *exec.impl_internal_space_instance();
  const bool nested = instance.get_level() < omp_get_level();
  return nested && Kokkos::Impl::execute_in_serial(exec) ? 1 : instance.thread_pool_size();
}

/// A launch as tools see it, also one that throws.
class reported_launch {
 public:
  reported_launch(const char* label, const Kokkos::OpenMP& exec) : profiled_(Kokkos::Tools::profileLibraryLoaded()) {
    if (profiled_) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &event_);
  }
  ~reported_launch() {
    if (profiled_) Kokkos::Tools::endParallelFor(event_);
  }
  reported_launch(const reported_launch&) = delete;

 private:
  bool profiled_;
  std::uint64_t event_ = 0;
};

/// As Kokkos::parallel_for does with a TeamPolicy: on threads_of(exec), known to tools by its label, over at return. What
/// takes more than the calling thread waits for its turn on the instance; what does not, disturbs nobody there: the
/// threads of a parallel region work side by side.
template <class Functor>
void launch_teams(const char* label, const Kokkos::OpenMP& exec, int teams, std::size_t scratch,
                  const Functor& functor) {
  const reported_launch event(label, exec);
  const int threads = teams <= 1 ? 1 : threads_of(exec);
  if (threads == 1) return run_teams(1, teams, scratch, functor);
  lost_threads::watch();
  const std::lock_guard lock(exec.impl_internal_space_instance()->m_instance_mutex);
  run_teams(threads, teams, scratch, functor);
}

}  // namespace abax::openmp
