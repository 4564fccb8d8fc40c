// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interruption.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>

namespace abax::perf {
namespace {

volatile std::sig_atomic_t came = 0;

std::atomic<std::int64_t> first = 0;  // when it came, in nanoseconds; the next may come to another thread at once
static_assert(decltype(first)::is_always_lock_free);

extern "C" void remember(int signal) {
  constexpr std::int64_t second = 1000000000;
  timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = clock.tv_sec * second + clock.tv_nsec;
  std::int64_t before = 0;
  if (first.compare_exchange_strong(before, now)) {
    came = signal;
  } else if (now - before > second / 2) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // arrives where this returns
  }
}

}  // namespace

void wait_for_interruption() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction old {
    }, action{};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;  // as nohup and shells' background jobs want it
    action.sa_handler = remember;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

int came_signal() { return came; }

void require_going_on() {
  if (came != 0) throw interruption{came};
}

}  // namespace abax::perf
