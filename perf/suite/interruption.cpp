// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interruption.hpp"

#include <csignal>
#include <initializer_list>

namespace abax::perf {
namespace {

volatile std::sig_atomic_t came = 0;

extern "C" void remember(int signal) { came = signal; }

}  // namespace

void wait_for_interruption() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction old {
    }, action{};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;  // as nohup and shells' background jobs want it
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

int came_signal() { return came; }

void require_going_on() {
  if (came != 0) throw interruption{came};
}

}  // namespace abax::perf
