// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax_race WORKERS HOW: two threads meet at an element. `wrong`: nothing orders them, which the thread sanitizer must
// report. `right`: a barrier, the end of a region or a lock does, and it must be silent. Without the former its silence
// about Abax would mean nothing, without the latter its reports.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "abax/detail/team/last_arrival.hpp"

namespace {

int element = 0;

/// Two threads of a parallel region; what orders them is OpenMP's barrier.
void region(bool right) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) element = 1;
    if (right) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) element += 2;
  }
}

/// Two threads of a kernel, each of which reads what the other writes, in a second kernel or in the same one.
void kernel(bool right) {
  const Kokkos::RangePolicy<Kokkos::OpenMP> both(Kokkos::OpenMP(2), 0, 2);
  int written[2] = {0, 0}, read[2] = {0, 0};
  int *const from = written, *const to = read;
  if (right) {
    Kokkos::parallel_for("write", both, [=](int i) { from[i] = i + 1; });
    Kokkos::parallel_for("read", both, [=](int i) { to[i] = from[1 - i]; });
  } else {
    Kokkos::parallel_for("write and read", both, [=](int i) {
      from[i] = i + 1;
      to[i] = from[1 - i];
    });
  }
  element = read[0] + read[1];
}

/// Two teams, the last of which reads what both wrote: after Abax' hand-over, or after an addition that orders nothing.
void teams(bool right) {
  int written[2] = {0, 0};
  unsigned arrivals = 0;
  int *const from = written, *const to = &element;
  unsigned *const counter = &arrivals;
  const Kokkos::TeamPolicy<Kokkos::OpenMP> two(Kokkos::OpenMP(2), 2, 1);
  Kokkos::parallel_for("teams", two, [=](const Kokkos::TeamPolicy<Kokkos::OpenMP>::member_type &team) {
    from[team.league_rank()] = team.league_rank() + 1;
    const bool last = right ? abax::team::last_arrival(team, counter, 2) : Kokkos::atomic_fetch_add(counter, 1u) == 1;
    if (!last) return;
    Kokkos::atomic_exchange(counter, 0u);
    *to = from[0] + from[1];
  });
}

/// Two of the program's own threads, with a lock or without.
void threads(bool right) {
  std::mutex mutex;
  const auto add = [&](int i) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (right) lock.lock();
    element += i;
  };
  std::thread first(add, 1), second(add, 2);
  first.join();
  second.join();
}

}  // namespace

int main(int argc, char **argv) {
  const std::string workers = argc == 3 ? argv[1] : "", how = argc == 3 ? argv[2] : "";
  void (*meet)(bool) = nullptr;
  if (workers == "region") meet = region;
  if (workers == "kernel") meet = kernel;
  if (workers == "teams") meet = teams;
  if (workers == "threads") meet = threads;
  if (meet == nullptr || (how != "wrong" && how != "right")) {
    std::fputs("usage: abax_race region|kernel|teams|threads wrong|right\n", stderr);
    return 2;
  }
  const Kokkos::ScopeGuard kokkos;
  // Of two teams the sanitizer reports only every second race, by how they happen to meet.
  int differ = 0;
  for (int round = 0; round < 32; ++round) {
    element = 0;
    meet(how == "right");
    differ += element != 3;
  }
  std::printf("%s: %d of 32 differ\n", how.c_str(), differ);
  return how == "right" && differ > 0;
}
