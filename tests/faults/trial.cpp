// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

namespace abax::tests::faults {
namespace {

/// Numbers between two canaries.
class guarded {
 public:
  guarded(std::size_t count, unsigned seed) : all_(count + 2 * canaries, canary) {
    for (std::size_t i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      data()[i] = static_cast<double>(seed >> 16) / 65536 - 0.5;
    }
    before_ = all_;
  }
  double* data() { return all_.data() + canaries; }
  bool is_as_before() const { return same(0, all_.size()); }
  bool has_canaries() const { return same(0, canaries) && same(all_.size() - canaries, canaries); }
  void restore() { all_ = before_; }
  std::uint64_t hash() const {
    std::uint64_t sum = 14695981039346656037u;
    for (const double value : all_) {
      std::uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
  }

 private:
  static constexpr std::size_t canaries = 32;
  static constexpr double canary = -98765.4321;
  bool same(std::size_t first, std::size_t count) const {
    return std::memcmp(&all_[first], &before_[first], count * sizeof(double)) == 0;
  }
  std::vector<double> all_, before_;
};

/// What a child tells its parent, in memory that they share.
struct record {
  long refused, blocks;
  std::uint64_t bits;
  bool called, succeeded, complete;
  char fault[200];
};

struct setting {
  bool warm;  ///< not the first call of the process
  resource of;
  bool lasting;
};

void work(const trial& t, const caller& caller, const setting& how, long nth, record& to) {
  const long before = live_blocks();
  guarded a(t.a, 1), b(t.b, 2), c(t.c, 3);
  const auto call = [&] { return t.call(a.data(), b.data(), c.data()); };
  const auto blame = [&](const char* what) {
    if (to.fault[0] == '\0') std::snprintf(to.fault, sizeof to.fault, "%s", what);
  };
  const auto look = [&] {
    if (!a.is_as_before() || !b.is_as_before()) blame("wrote to an operand that it reads");
    if (!c.has_canaries()) blame("wrote round its output");
  };
  caller.begin();
  if (how.warm) {
    if (!call()) blame("failed without need");
    c.restore();
  }
  to.called = true;
  if (nth > 0) refuse(how.of, nth, how.lasting);
  to.succeeded = call();
  to.refused = serve_all();
  look();
  if (to.succeeded) to.bits = c.hash();
  guarded left = c;
  for (int again = 0; again < 2; ++again) {
    c.restore();
    if (!call()) blame("the next call fails, too");
    look();
    if (to.succeeded && c.hash() != to.bits) blame("the next call has other bits");
    to.bits = c.hash();
  }
  if (!to.succeeded && !left.is_as_before() &&
      !(t.may_leave && t.may_leave(guarded(t.c, 3).data(), left.data(), c.data())))
    blame("failed, and wrote");
  // A call that kept memory each time it fails would keep more and more of it.
  for (int round = 0; how.warm && to.refused > 0 && round < 16; ++round) {
    refuse(how.of, nth, how.lasting);
    call();
    serve_all();
    c.restore();
    call();
    look();
  }
  caller.end();
  to.blocks = live_blocks() - before;
  to.complete = true;
}

enum ending { right, refused, ended_by_library, ended_by_kokkos, ended_by_openmp, ended_by_libc, wrong, endings };
constexpr const char* names[endings] = {"success",         "error",         "ended by Abax", "ended by Kokkos",
                                        "ended by OpenMP", "ended by libc", "WRONG"};

constexpr const char* requests[] = {"allocation", "thread",          "allocation on the device",
                                    "launch",     "stream or event", "order"};

ending ending_of(const trial& t, const caller& caller, int status, const record& told, const record& unhindered,
                 std::string_view said, std::string& why) {
  const auto says = [&](const char* what) { return said.find(what) != said.npos; };
  if (!told.complete) {
    if (told.called && WIFEXITED(status) && WEXITSTATUS(status) == 1 && says("libgomp: ")) return ended_by_openmp;
    if (told.called && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
      if (caller.may_end_program && says(caller.message)) return ended_by_library;
      if (says("Fatal glibc error: ")) return ended_by_libc;
      // As it starts: what it throws there it does not survive itself.
      if (caller.may_end_program && says("Kokkos_Cuda_Instance.cpp")) return ended_by_kokkos;
    }
    why = "status " + std::to_string(status) + ", said: " + std::string(said);
    return wrong;
  }
  why = told.fault;
  if (why.empty() && told.bits != unhindered.bits) why = "other bits";
  const long kept = told.blocks - unhindered.blocks;
  if (why.empty() && std::abs(kept) > t.kept_by_chance)
    why = std::to_string(kept) + " blocks of memory more than without the fault";
  if (!why.empty()) return wrong;
  return told.succeeded ? right : refused;
}

class children {
 public:
  explicit children(const caller& caller)
      : caller_(caller),
        record_(static_cast<record*>(
            mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))),
        stderr_(std::tmpfile()) {
    if (record_ == MAP_FAILED || stderr_ == nullptr) std::abort();
  }
  ~children() {
    munmap(record_, sizeof(record));
    std::fclose(stderr_);
  }
  children(const children&) = delete;

  /// The child's record; `status` and `said` have its end and what it printed as an error.
  record run(const trial& t, const setting& how, long nth, int& status, std::string& said) {
    *record_ = {};
    const int file = fileno(stderr_);
    if (ftruncate(file, 0) != 0) std::abort();
    std::fflush(stdout);  // or a child that ends by exit() would print it again
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      lseek(file, 0, SEEK_SET);
      dup2(file, STDERR_FILENO);
      work(t, caller_, how, nth, *record_);
      _exit(0);
    }
    waitpid(child, &status, 0);
    char text[1000];
    said.assign(text, static_cast<std::size_t>(std::max<ssize_t>(0, pread(file, text, sizeof text, 0))));
    return *record_;
  }

 private:
  const caller& caller_;
  record* record_;
  std::FILE* stderr_;
};

}  // namespace

std::function<bool(const double*, const double*, const double*)> whole_items(std::size_t count, std::size_t size) {
  return [=](const double* was, const double* is, const double* would_be) {
    for (std::size_t at = 0; at < count * size; at += size)
      if (std::memcmp(is + at, was + at, size * sizeof(double)) != 0 &&
          std::memcmp(is + at, would_be + at, size * sizeof(double)) != 0)
        return false;
    return true;
  };
}

void side_by_side(trial& batch, std::size_t size) {
  constexpr long others = 3, each = 3;  // threads; a kept buffer, its memory, and what ends with the thread
  batch.may_leave = whole_items(batch.c / size, size);
  batch.kept_by_chance = others * each;
}

bool run(const std::vector<trial>& trials, const caller& caller) {
  constexpr long most = 1000;
  children child(caller);
  bool all_right = true;
  long total[endings] = {};
  std::printf("%-28s", "");
  for (const char* name : names) std::printf(" %15s", name);
  std::printf("\n");
  for (const trial& t : trials) {
    long count[endings] = {};
    for (const bool warm : {false, true}) {
      int status;
      std::string said;
      const setting unhindered{warm, resource::memory, false};
      const record wanted = child.run(t, unhindered, 0, status, said);
      if (!wanted.complete || !wanted.succeeded || wanted.fault[0] != '\0') {
        std::printf("%s: unhindered: %s %s\n", t.name.c_str(), wanted.fault, said.c_str());
        all_right = false;
        continue;
      }
      for (const resource of : caller.resources)
        for (const bool lasting : {false, true})
          for (long nth = 1;; ++nth) {
            const record told = child.run(t, {warm, of, lasting}, nth, status, said);
            if (told.complete && told.refused == 0 && told.succeeded) break;
            std::string why;
            const ending end = ending_of(t, caller, status, told, wanted, said, why);
            ++count[end];
            if (end == wrong || nth == most) {
              all_right = false;
              std::printf("%s, %s, %s %ld%s refused: %s\n", t.name.c_str(), warm ? "later call" : "first call",
                          requests[static_cast<int>(of)], nth, lasting ? " and all later" : "",
                          nth == most ? "no end" : why.c_str());
              if (nth == most) break;
            }
          }
    }
    std::printf("%-28s", t.name.c_str());
    for (int e = 0; e < endings; ++e) std::printf(" %15ld", count[e]), total[e] += count[e];
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("%-28s", "all");
  for (const long n : total) std::printf(" %15ld", n);
  std::printf("\n");
  return all_right && total[right] + total[refused] + total[ended_by_library] > 0;
}

}  // namespace abax::tests::faults
