// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// device c, device blas: calls on a GPU whose nth allocation, launch, stream, event or order there is refused. By
// abax.h each ends with a status, leaves no error for the next, keeps nothing more, and the next has the right bits; a
// gemm of the BLAS on operands of the host does without, or the program ends with words.
// device broken: calls after one that reads where the GPU has no memory, which no call of that process survives. By
// abax.h each says so, by a status or as the program ends. Exits with 77 where no GPU is visible.
#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "calls.hpp"

using namespace abax::tests::faults;

namespace {

/// Asked by a child: a process that has asked cannot use the device in its own children.
bool device_is_visible() {
  const pid_t child = fork();
  if (child == 0) {
    int devices = 0;
    _exit(cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("the test's own call: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

/// Numbers on the device, between canaries.
class operand {
 public:
  operand(std::size_t count, unsigned seed) : was_(count + 2 * canaries, -98765.4321) {
    for (std::size_t i = 0; i < count; ++i)
      was_[canaries + i] = static_cast<double>((seed = seed * 1664525 + 1013904223) >> 16) / 65536 - 0.5;
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes()));
    memory_ = static_cast<double*>(memory);
    restore();
  }
  ~operand() { cudaFree(memory_); }
  operand(const operand&) = delete;

  double* data() const { return memory_ + canaries; }
  void restore() const { require(cudaMemcpy(memory_, was_.data(), bytes(), cudaMemcpyHostToDevice)); }
  std::vector<double> values() const {
    std::vector<double> now(was_.size());
    require(cudaMemcpy(now.data(), memory_, bytes(), cudaMemcpyDeviceToHost));
    return now;
  }
  const std::vector<double>& was() const { return was_; }
  bool is_as_before() const { return same(values(), was_); }
  static bool same(const std::vector<double>& x, const std::vector<double>& y) {
    return std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0;
  }
  bool has_canaries(const std::vector<double>& now) const {
    const std::size_t end = now.size() - canaries, size = sizeof(double) * canaries;
    return std::memcmp(&now[0], &was_[0], size) == 0 && std::memcmp(&now[end], &was_[end], size) == 0;
  }
  static constexpr std::size_t canaries = 32;

 private:
  std::size_t bytes() const { return sizeof(double) * was_.size(); }
  std::vector<double> was_;
  double* memory_;
};

/// What abax.h says that those launches of a call leave that came before the refused one: herk's product, whose
/// diagonal has still imaginary parts, and a transpose whose elements are not yet conjugated.
void allow_earlier_launches(trial& t) {
  const auto before = t.may_leave;
  const std::size_t n = 150, count = t.c;
  if (t.name == "herk")
    t.may_leave = [=](const double* was, const double* is, const double* right) {
      if (before && before(was, is, right)) return true;
      for (std::size_t at = 0; at < count; ++at)
        if (is[at] != right[at] && at % (2 * n + 2) != 1) return false;
      return true;
    };
  if (t.name == "complex transpose in place")
    t.may_leave = [=](const double*, const double* is, const double* right) {
      for (std::size_t at = 0; at < count; ++at)
        if (is[at] != (at % 2 == 0 ? right[at] : -right[at])) return false;
      return true;
    };
}

constexpr const char* requests[] = {"", "", "allocation", "launch", "stream or event", "order"};

struct counts {
  long succeeded = 0, failed = 0, wrong = 0;
};

/// All refusals of one call.
counts refuse_all(const trial& t) {
  const operand a(t.a, 1), b(t.b, 2), c(t.c, 3);
  const auto call = [&] {
    const bool launched = t.call(a.data(), b.data(), c.data());
    require(cudaDeviceSynchronize());
    return launched;
  };
  counts all;
  if (!call()) return std::printf("%s: failed without need\n", t.name.c_str()), counts{0, 0, 1};
  const std::vector<double> right = c.values();
  for (const resource of : {resource::device_memory, resource::launches, resource::queues, resource::orders})
    for (const bool lasting : {false, true})
      for (long nth = 1;; ++nth) {
        const auto blame = [&](const char* what) {
          ++all.wrong;
          std::printf("%s, %s %ld%s refused: %s\n", t.name.c_str(), requests[static_cast<int>(of)], nth,
                      lasting ? " and all later" : "", what);
        };
        c.restore();
        const long before = live_on_device();
        refuse(of, nth, lasting);
        const bool succeeded = t.call(a.data(), b.data(), c.data());
        const long refused = serve_all();
        const cudaError_t left = cudaGetLastError();
        require(cudaDeviceSynchronize());
        if (refused == 0 || nth == 1000) {
          if (!succeeded) blame("failed without need");
          if (refused != 0) blame("there is no end of requests");
          break;
        }
        ++(succeeded ? all.succeeded : all.failed);
        if (left != cudaSuccess) blame("left an error for whoever asks next");
        const std::vector<double> now = c.values();
        if (!a.is_as_before() || !b.is_as_before()) blame("wrote to an operand that it reads");
        if (!c.has_canaries(now)) blame("wrote round its output");
        if (succeeded && !operand::same(now, right)) blame("other bits");
        constexpr std::size_t first = operand::canaries;
        if (!succeeded && !operand::same(now, c.was()) &&
            !(t.may_leave && t.may_leave(&c.was()[first], &now[first], &right[first])))
          blame("failed, and wrote");
        if (live_on_device() != before) blame("kept something of the device");
        c.restore();
        if (!call() || !operand::same(c.values(), right)) blame("the next call is wrong");
      }
  return all;
}

int by_streams() {
  called interface = c_interface(ABAX_DEVICE);
  for (trial& t : interface.trials) allow_earlier_launches(t);
  interface.how.begin();
  counts all;
  for (const trial& t : interface.trials) {
    if (t.name == "open and close" || t.name == "batch of pointers") continue;  // the host's; its arrays are
    const counts found = refuse_all(t);
    std::printf("%-28s %4ld did without, %4ld failed, %4ld wrong\n", t.name.c_str(), found.succeeded, found.failed,
                found.wrong);
    all.succeeded += found.succeeded, all.failed += found.failed, all.wrong += found.wrong;
  }
  std::printf("%-28s %4ld did without, %4ld failed, %4ld wrong\n", "all", all.succeeded, all.failed, all.wrong);
  interface.how.end();
  return all.wrong != 0 || all.failed == 0;
}

int by_names() {
  called interface = blas();
  std::erase_if(interface.trials, [](const trial& t) { return t.name != "cblas gemm"; });
  for (trial& t : interface.trials) t.kept_by_chance = 1000;  // the driver's
  interface.how.resources = {resource::device_memory, resource::queues};
  return run(interface.trials, interface.how) ? 0 : 1;
}

/// In a child: the call; `breaking`, which reads at an address that is none; and the call again. Exits with 0 where
/// that one fails, too.
void break_device(const called& interface, const trial& t, const trial& breaking) {
  alarm(60);
  interface.how.begin();
  const operand a(t.a, 1), b(t.b, 2), c(t.c, 3), d(breaking.b, 4), e(breaking.c, 5);
  if (!t.call(a.data(), b.data(), c.data())) _exit(3);
  require(cudaDeviceSynchronize());
  breaking.call(reinterpret_cast<const double*>(std::uintptr_t(1) << 46), d.data(), e.data());
  if (cudaDeviceSynchronize() == cudaSuccess) _exit(4);
  std::fputs("asked again\n", stderr);
  if (t.call(a.data(), b.data(), c.data())) _exit(5);
  std::fputs("answered\n", stderr);
  interface.how.end();
  std::exit(0);
}

int after_breaking() {
  const called interface = c_interface(ABAX_DEVICE);
  const auto breaking = std::ranges::find(interface.trials, "gemm", &trial::name);
  if (breaking == interface.trials.end()) return 2;
  std::FILE* const words = std::tmpfile();
  if (words == nullptr) return 2;
  int by_status = 0, by_words = 0, wrong = 0;
  for (const trial& t : interface.trials) {
    if (t.name == "open and close" || t.name == "batch of pointers") continue;  // the host's; its arrays are
    if (ftruncate(fileno(words), 0) != 0) return 2;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      lseek(fileno(words), 0, SEEK_SET);
      dup2(fileno(words), STDERR_FILENO);
      break_device(interface, t, *breaking);
    }
    int status = 0;
    waitpid(child, &status, 0);
    char text[2000] = {};
    if (pread(fileno(words), text, sizeof text - 1, 0) < 0) return 2;
    const auto says = [&](const char* what) { return std::strstr(text, what) != nullptr; };
    const bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && says("illegal memory access");
    if (says("answered") && (aborted || (WIFEXITED(status) && WEXITSTATUS(status) == 0)))
      ++by_status;  // whatever becomes of the program as it ends
    else if (says("asked again") && aborted)
      ++by_words;
    else
      std::printf("%s: ended by status %d, said: %s\n", t.name.c_str(), status, text), ++wrong;
  }
  std::printf("after a fault of the device: %d by a status, %d ended the program with words, %d wrong\n", by_status,
              by_words, wrong);
  std::fclose(words);
  return wrong != 0 || by_status + by_words == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!device_is_visible()) return std::puts("skipped: no GPU is visible"), 77;
  const auto is = [&](const char* mode) { return argc > 1 && std::strcmp(argv[1], mode) == 0; };
  return is("broken") ? after_breaking() : is("blas") ? by_names() : by_streams();
}
