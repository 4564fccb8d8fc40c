// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// abax_fuzz [--seed S] [--calls N] [--call C]: N calls that the seed names, or call C of them alone and in words, each
// compared with the reference. abax_fuzz [--seed S] --tunings N: N files that ABAX_TUNING might name. (docs/fuzzing.md)
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "abax/detail/backends/openmp/kernels.hpp"
#include "calls.hpp"
#include "tunings.hpp"

namespace {

using namespace abax::tests;

std::uint64_t seed = 1;
long long number = 0;

struct sigaction before[NSIG];

/// Names the call that is being made, in the way of a handler, which may write, and not much else.
void name_call(const char* what, int code) {
  char text[256];
  char* at = text + sizeof text;
  const auto put = [&](const char* word) {
    const std::size_t length = std::strlen(word);
    std::memcpy(at -= length, word, length);
  };
  const auto put_number = [&](std::uint64_t n) {
    do {
      *--at = static_cast<char>('0' + n % 10);
    } while ((n /= 10) != 0);
  };
  put("\n");
  put_number(static_cast<std::uint64_t>(number));
  put(" --call ");
  put_number(seed);
  put(": abax_fuzz --seed ");
  if (code != 0) put_number(static_cast<std::uint64_t>(code));
  put(what);
  put("FAILED: ");
  if (write(STDOUT_FILENO, at, static_cast<std::size_t>(text + sizeof text - at)) < 0) _exit(1);
}

extern "C" void name_crash(int signal) {
  name_call("signal ", signal);
  if (signal == SIGALRM) _exit(1);
  sigaction(signal, &before[signal], nullptr);  // that of a sanitizer, too, which tells more
}

/// Of what sanitizers, where the program is built with them, call when they have found something.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*)());
extern "C" void name_finding() { name_call("see above", 0); }

void name_crashes() {
  struct sigaction naming {};
  naming.sa_handler = name_crash;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    sigaction(signal, &naming, &before[signal]);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(name_finding);
}

long long number_of(const char* text) {
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || value < 0) throw std::runtime_error(std::string("expected a number: ") + text);
  return value;
}

int read_tunings(long long files) {
  for (number = 0; number < files; ++number) {
    fuzz::choices choose(seed, static_cast<std::uint64_t>(number));
    const std::string text = fuzz::drawn_tuning(choose), wrong = fuzz::tuning_fault(text);
    if (wrong.empty()) continue;
    std::printf("FAILED: file %lld of seed %llu: %s\n%s\n", number, static_cast<unsigned long long>(seed),
                wrong.c_str(), text.c_str());
    return 1;
  }
  std::printf("seed %llu: %lld files, all right\n", static_cast<unsigned long long>(seed), files);
  return 0;
}

int run(int argc, char** argv) {
  long long calls = 100000;
  std::optional<long long> only, tunings;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--calls" && option != "--call" && option != "--tunings"))
      throw std::runtime_error("usage: abax_fuzz [--seed S] [--calls N | --call C | --tunings N]");
    const long long value = number_of(argv[i + 1]);
    if (option == "--seed") seed = static_cast<std::uint64_t>(value);
    if (option == "--calls") calls = value;
    if (option == "--call") only = value;
    if (option == "--tunings") tunings = value;
  }
  if (tunings) return read_tunings(*tunings);
  const char* const backend = std::getenv("ABAX_BLAS_BACKEND");
  const bool on_device = backend != nullptr && std::string(backend) == "device";
  if (!on_device) abax::openmp::kernels<float>();  // throws here what would abort within a call: a wrong ABAX_CPU
  fuzz::caller caller(!on_device, only.has_value());  // operands are the host's memory
  name_crashes();

  const auto start = std::chrono::steady_clock::now();
  const long long first = only.value_or(0), end = only ? first + 1 : calls;
  for (number = first; number < end; ++number) {
    if (number % 256 == 0) alarm(120);
    fuzz::choices choose(seed, static_cast<std::uint64_t>(number));
    const std::string wrong = caller.call(choose);
    if (wrong.empty()) continue;
    std::printf("FAILED: %s: abax_fuzz --seed %llu --call %lld\n", wrong.c_str(), static_cast<unsigned long long>(seed),
                number);
    return 1;
  }
  alarm(0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& [name, count] : caller.by_kernel()) std::printf("%-40s %10lld\n", name.c_str(), count);
  for (const auto& [name, count] : caller.by_face()) std::printf("%-40s %10lld\n", name.c_str(), count);
  std::printf("%-40s %10lld\n", "with an argument that cannot be used", caller.refused());
  std::printf("seed %llu: %lld calls, %.0f a second, all right\n", static_cast<unsigned long long>(seed), end - first,
              static_cast<double>(end - first) / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abax_fuzz: %s (call %lld of seed %llu)\n", error.what(), number,
                 static_cast<unsigned long long>(seed));
    return 2;
  }
}
