// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// disturbed stacks|signals: libabax_blas.so called by threads whose stacks are small, or while a signal interrupts the
// program up to ten thousand times a second and restarts no system call. All bits are those of calls that nothing
// disturbs.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>

#include "calls.hpp"

using namespace abax::tests::faults;

namespace {

constexpr std::size_t small = 64 * 1024, guard = 64 * 1024;
constexpr unsigned char paint = 0xA5;

/// The stack of a thread, below which nothing may be touched.
class stack {
 public:
  stack() : memory_(mmap(nullptr, guard + small, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED || mprotect(begin(), small, PROT_READ | PROT_WRITE) != 0) std::abort();
    std::memset(begin(), paint, small);
  }
  ~stack() { munmap(memory_, guard + small); }
  stack(const stack&) = delete;

  /// work(), on a thread that has this stack.
  void run(const std::function<void()>& work) {
    pthread_attr_t attributes;
    pthread_t thread;
    const auto begin_thread = [](void* what) -> void* { return (*static_cast<std::function<void()>*>(what))(), what; };
    auto copy = work;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, begin(), small) != 0 ||
        pthread_create(&thread, &attributes, begin_thread, &copy) != 0)
      std::abort();
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  }
  /// Bytes that have been touched, what the system keeps there for the thread among them.
  std::size_t used() {
    const auto* const end = begin() + small;
    return static_cast<std::size_t>(end -
                                    std::find_if(begin(), begin() + small, [](unsigned char c) { return c != paint; }));
  }

 private:
  unsigned char* begin() { return static_cast<unsigned char*>(memory_) + guard; }
  void* memory_;
};

struct operands {
  std::vector<double> a, b, c;
  explicit operands(const trial& t) : a(filled(t.a, 1)), b(filled(t.b, 2)), c(filled(t.c, 3)) {}
  void call(const trial& t) {
    if (!t.call(a.data(), b.data(), c.data())) c.clear();
  }
  bool has_result_of(const operands& other) const {
    return !c.empty() && c.size() == other.c.size() &&
           std::memcmp(c.data(), other.c.data(), c.size() * sizeof(double)) == 0;
  }

 private:
  static std::vector<double> filled(std::size_t count, unsigned seed) {
    std::vector<double> values(count);
    for (double& v : values) v = static_cast<double>((seed = seed * 1664525 + 1013904223) >> 16) / 65536 - 0.5;
    return values;
  }
};

/// Every call: undisturbed, then as disturbed(call) makes it.
template <class Disturbed>
bool all_right(const Disturbed& disturbed) {
  int wrong = 0, all = 0;
  for (const called& interface : {c_interface(), blas()}) {
    interface.how.begin();
    for (const trial& t : interface.trials) {
      operands undisturbed(t), mine(t);
      undisturbed.call(t);
      disturbed([&] { mine.call(t); });
      ++all;
      if (!mine.has_result_of(undisturbed)) std::printf("%s: other bits\n", t.name.c_str()), ++wrong;
    }
    interface.how.end();
  }
  std::printf("%d calls, %d wrong\n", all, wrong);
  return wrong == 0 && all > 40;
}

bool on_small_stacks() {
  std::size_t most = 0;
  const bool right = all_right([&](const std::function<void()>& call) {
    stack own;
    own.run(call);
    most = std::max(most, own.used());
  });
  std::printf("stacks of %zu bytes, of which %zu were used at most\n", small, most);
  return right;
}

std::atomic<long> signals = 0;

bool under_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { ++signals; };  // and no SA_RESTART
  const itimerval often{{0, 100}, {0, 100}}, never{};
  if (sigaction(SIGALRM, &action, nullptr) != 0) return false;
  const auto disturbed = [&](const std::function<void()>& call) {
    setitimer(ITIMER_REAL, &often, nullptr);
    call();
    setitimer(ITIMER_REAL, &never, nullptr);
  };
  bool right = true;
  for (int round = 0; round < 20; ++round) right &= all_right(disturbed);
  std::printf("%ld signals\n", signals.load());
  return right && signals > 200;
}

}  // namespace

int main(int argc, char** argv) {
  const bool right = argc > 1 && std::strcmp(argv[1], "signals") == 0 ? under_signals() : on_small_stacks();
  return right ? 0 : 1;
}
