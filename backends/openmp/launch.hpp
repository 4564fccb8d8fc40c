// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Launching teams of one thread each, as Kokkos' TeamPolicy does, at a fraction of its cost: a small product is over
/// before TeamPolicy has begun.
#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include "abax/detail/backends/openmp/kernels.hpp"
#include "abax/detail/backends/openmp/memory.hpp"
#include "abax/detail/backends/portable/gradual_underflow.hpp"

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

/// The teams that a thread has yet to run, of more than there are threads: it takes them in ascending order, others
/// that are done help from the end.
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
  // Asking for the teams of others takes most of a microsecond, which is much where each thread has one.
  const bool help = teams > threads;
  if (help) memory.divide(teams, threads);
#pragma omp parallel num_threads(threads)
  {
    const portable::gradual_underflow mode;
    const int self = omp_get_thread_num();
    const auto run = [&](int rank) { functor(member(memory.scratch(self), rank, teams)); };
    if (help) {
      for (int rank; (rank = memory.teams_of(self).take_first()) >= 0;) run(rank);
      for (int other = 1; other < threads; ++other)
        for (int rank; (rank = memory.teams_of((self + other) % threads).take_last()) >= 0;) run(rank);
    } else {
      for (int rank = self; rank < teams; rank += omp_get_num_threads()) run(rank);
    }
  }
}

/// What a launch must know of the process that it runs in. Nothing here waits or is waited for, so that a child that is
/// forked at any moment finds it whole.
class process {
 public:
  /// False while functions that run before main() may call a library whose own ones have not run: OpenMP may not know
  /// its settings yet.
  static bool is_loaded() { return loaded; }
  /// To be called before the calling thread begins a parallel region. A child's OpenMP has none of its parent's
  /// threads, and a region would wait for them for ever: children of this process compute on one thread from here on.
  static void uses_threads() { threads_used = true; }
  /// Whether this is such a child.
  static bool lost_threads() { return lost; }

 private:
  static inline constinit std::atomic<bool> loaded = false, threads_used = false, lost = false;
  [[maybe_unused]] static inline const int at_load = [] {
#if __has_include(<pthread.h>)
    pthread_atfork(nullptr, nullptr, [] { lost = lost || threads_used || Kokkos::is_initialized(); });
#endif
    loaded = true;
    return 0;
  }();
};

/// OpenMP's threads as a launch sees them: those of a Kokkos instance, which must outlive this; or, as abax.h and the
/// BLAS have them, all of OpenMP's. Those need no Kokkos that runs: they serve from before main() to the end of the
/// program, in any child, and where no thread can be had but the calling one.
class instance {
 public:
  instance() = default;
  instance(const Kokkos::OpenMP& kokkos) : kokkos_(&kokkos) {}  // NOLINT: a launch on `kokkos`

  /// Threads that work on a launch: the instance's own, but one inside a parallel region that OpenMP does not nest.
  int threads() const {
    if (alone_ || process::lost_threads()) return 1;
    const int level = kokkos_ != nullptr ? kokkos_->impl_internal_space_instance()->get_level() : 0;
    if (level < omp_get_level() && !(omp_get_level() == 1 && nests())) return 1;
    return kokkos_ != nullptr ? kokkos_->impl_internal_space_instance()->thread_pool_size() : all_threads();
  }
  /// The same for launches that are parts of one that tools know of.
  instance within_launch() const {
    instance part = *this;
    part.within_launch_ = true;
    return part;
  }
  bool is_within_launch() const { return within_launch_; }
  /// The same for parts that take the calling thread alone, also where regions nest.
  instance alone_within_launch() const {
    instance one = within_launch();
    one.alone_ = true;
    return one;
  }
  /// Held by a launch that takes more than the calling thread.
  std::mutex& turn() const {
    static constinit std::mutex of_all;
    return kokkos_ != nullptr ? kokkos_->impl_internal_space_instance()->m_instance_mutex : of_all;
  }
  std::uint32_t id_for_tools() const {
    return Kokkos::Tools::Experimental::device_id(kokkos_ != nullptr ? *kokkos_ : Kokkos::OpenMP());
  }
  /// A launch is over when it returns, so only tools have to hear of it. Kokkos' own fence waits for whoever has the
  /// instance, which may be a kernel that this is called from.
  void fence(const char* label) const {
    if (kokkos_ == nullptr || within_launch_ || !Kokkos::Tools::profileLibraryLoaded()) return;
    std::uint64_t id = 0;
    Kokkos::Tools::beginFence(label, id_for_tools(), &id);
    Kokkos::Tools::endFence(id);
  }

 private:
  static bool nests() {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 11  // its omp_get_max_active_levels() says so in any case
    return omp_get_nested() != 0;
#else
    return omp_get_max_active_levels() > 1;
#endif
  }
  /// Those of a Kokkos that runs, or what OpenMP gave the program at its start: a new thread knows, the calling one may
  /// have been told otherwise since. Throws where that is more than one and the machine gives none.
  static int all_threads() {
    static constinit std::atomic<int> of_openmp = 0;
    if (Kokkos::is_initialized()) return Kokkos::Impl::OpenMPInternal::singleton().thread_pool_size();
    if (const int count = of_openmp.load(std::memory_order_relaxed); count != 0) return count;
    if (!process::is_loaded()) return 1;
    int count = 1;
    try {
      std::thread([&] { count = tile::min(omp_get_max_threads(), omp_get_thread_limit()); }).join();
    } catch (const std::system_error& error) {
      if (omp_get_max_threads() == 1) return 1;
      throw std::system_error(error.code(), "abax: OpenMP is to use " + std::to_string(omp_get_max_threads()) +
                                                " threads (OMP_NUM_THREADS=1: the calling one alone), and none starts");
    }
    of_openmp.store(count, std::memory_order_relaxed);
    return count;
  }

  const Kokkos::OpenMP* kokkos_ = nullptr;
  bool alone_ = false, within_launch_ = false;
};

/// A launch as tools see it, also one that throws; not its parts: a tool may have every instance fenced, which a part
/// that runs beside others would wait for in vain.
class reported_launch {
 public:
  [[gnu::always_inline]] reported_launch(const char* label, const instance& exec)
      : profiled_(!exec.is_within_launch() && Kokkos::Tools::profileLibraryLoaded()) {
    if (profiled_) [[unlikely]]
      event_ = begin(label, exec);
  }
  [[gnu::always_inline]] ~reported_launch() {
    if (profiled_) [[unlikely]]
      Kokkos::Tools::endParallelFor(event_);
  }
  reported_launch(const reported_launch&) = delete;

 private:
  /// By value and apart, so that no launch that nobody watches has anything in memory.
  [[gnu::noinline]] static std::uint64_t begin(const char* label, instance exec) {
    std::uint64_t event = 0;
    Kokkos::Tools::beginParallelFor(label, exec.id_for_tools(), &event);
    return event;
  }

  bool profiled_;
  std::uint64_t event_ = 0;
};

/// As Kokkos::parallel_for does with a TeamPolicy: on exec.threads(), known to tools by its label, over at return. What
/// takes more than the calling thread waits for its turn on the instance; what does not, disturbs nobody there: the
/// threads of a parallel region work side by side.
template <class Functor>
void launch_teams(const char* label, const instance& exec, int teams, std::size_t scratch, const Functor& functor) {
  const reported_launch event(label, exec);
  const int threads = teams <= 1 ? 1 : exec.threads();
  if (threads == 1) return run_teams(1, teams, scratch, functor);
  process::uses_threads();
  const std::lock_guard lock(exec.turn());
  run_teams(threads, teams, scratch, functor);
}

/// work(by, item) for every item, each of so many terms: side by side, a thread of the instance each, where there are
/// items enough for all threads, else one after another with all threads. One launch to tools, as `label`. What work
/// throws, the call throws.
template <class Work>
void each_item(const char* label, const instance& exec, index_t items, double terms, const Work& work) {
  const reported_launch event(label, exec);
  constexpr double too_little = 1 << 16;  // terms that are over before a second thread has begun
  const int threads = items <= 1 || items * terms < too_little ? 1 : exec.threads();
  const bool even = items % threads == 0 || items >= 8 * threads;
  if (threads == 1 || items < threads || !even) {
    const instance all = exec.within_launch();
    for (index_t i = 0; i < items; ++i) work(all, i);
    return;
  }
  process::uses_threads();
  const std::lock_guard lock(exec.turn());
  const instance one = exec.alone_within_launch();  // nobody else gets a turn before the region is over
  std::exception_ptr thrown;
  const index_t turn = tile::max<index_t>(1, tile::min<index_t>(items / (8 * threads), 64));
#pragma omp parallel for num_threads(threads) schedule(dynamic, turn)
  for (index_t i = 0; i < items; ++i) {
    try {
      work(one, i);
    } catch (...) {
#pragma omp critical(abax_each_item)
      thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// A product on the calling thread, known to tools as any launch; `in_place`: A needs no panels.
template <class T>
void run_directly(const char* label, const instance& exec, bool in_place, direct_product<T>&& product) {
  const reported_launch event(label, exec);
  const kernel_set<T>& set = kernels<T>();
  if (!in_place)
    product.packed = reinterpret_cast<T*>(
        kept_buffer<kernel_set<T>>().grow(sizeof(T) * static_cast<std::size_t>(set.rows * packed_terms(product.k))));
  const portable::gradual_underflow mode;
  set.multiply_store(product);
}
template <class T>
[[gnu::always_inline]] inline void run_directly(const char* label, const instance& exec,
                                                const direct_vector_product<T>& product) {
  const reported_launch event(label, exec);
  const kernel_set<T>& set = kernels<T>();
  const portable::gradual_underflow mode;
  set.multiply_store_vector(product);
}

}  // namespace abax::openmp
