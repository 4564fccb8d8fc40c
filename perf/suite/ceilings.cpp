// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ceilings.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "machine.hpp"
#include "timing.hpp"

namespace abax::perf {
namespace {

/// A ceiling is what the machine can do, so the best time counts, where a kernel is given its median.
template <class Call, class Fence>
double best_time(const Call& call, const Fence& fence, const effort& how) {
  return measure(
             1, [&](int) { call(); }, fence, how)
      .front()
      .best;
}

template <class Exec>
using range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<index_t>>;

// A GPU: neighbouring threads take neighbouring words.

struct alignas(16) word {
  std::uint64_t low, high;
};

struct copy_word {
  const word* from;
  word* to;

  KOKKOS_FUNCTION void operator()(index_t i) const { to[i] = from[i]; }
};
template <int Each>
struct read_words {
  const word* from;
  index_t threads;
  std::uint64_t* never;  // written where all bits of a sum are set, so that nothing is left out: not for this data

  KOKKOS_FUNCTION void operator()(index_t i) const {
    word w[Each];
    for (int e = 0; e < Each; ++e) w[e] = from[i + e * threads];  // all in flight at once
    std::uint64_t sum = 0;
    for (int e = 0; e < Each; ++e) sum ^= w[e].low ^ w[e].high;
    if (sum == ~std::uint64_t(0)) *never = sum;
  }
};

struct fill_words {
  word* x;

  KOKKOS_FUNCTION void operator()(index_t i) const { x[i] = {mix(2 * i), mix(2 * i + 1)}; }
};

/// Two arrays that no cache holds.
template <class Exec>
struct arrays {
  index_t words;
  Kokkos::View<word*, typename Exec::memory_space> from, to;

  explicit arrays(std::size_t bytes)
      : words(static_cast<index_t>(bytes / sizeof(word))),
        from(Kokkos::view_alloc(Kokkos::WithoutInitializing, "from"), words),
        to(Kokkos::view_alloc(Kokkos::WithoutInitializing, "to"), words) {
    Kokkos::parallel_for("abax-perf::fill", range<Exec>(0, words), fill_words{from.data()});
    Kokkos::parallel_for("abax-perf::fill", range<Exec>(0, words), fill_words{to.data()});
    Exec().fence();
  }
  double bytes() const { return static_cast<double>(words) * sizeof(word); }
};

void measure_device_memory(ceilings& found, const effort& how) {
  using device = Kokkos::DefaultExecutionSpace;
  const device exec;
  const auto fence = [&] { exec.fence(); };
  const arrays<device> a(std::size_t(2) << 30);
  const auto own = [&] {
    Kokkos::parallel_for("abax-perf::copy", range<device>(exec, 0, a.words), copy_word{a.from.data(), a.to.data()});
  };
  const auto driver = [&] { Kokkos::deep_copy(exec, a.to, a.from); };
  found.copy = 2 * a.bytes() / std::min(best_time(own, fence, how), best_time(driver, fence, how));
  const auto read = [&]<int Each>(std::integral_constant<int, Each>) {
    const Kokkos::View<std::uint64_t, typename device::memory_space> never("never");
    const read_words<Each> kernel{a.from.data(), a.words / Each, never.data()};
    const auto run = [&] { Kokkos::parallel_for("abax-perf::read", range<device>(exec, 0, kernel.threads), kernel); };
    found.read = std::max(found.read, a.bytes() / best_time(run, fence, how));
  };
  read(std::integral_constant<int, 1>());
  read(std::integral_constant<int, 4>());
  read(std::integral_constant<int, 8>());
}

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic.

// Start values and the number of rounds are known at run time only: neither folded nor unrolled away.
template <class T>
struct thread_chains {
  static constexpr int chains = 8;
  static constexpr double flops = 2.0 * chains;  // of one thread in one round
  T* sums;
  int rounds;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    T a[chains];
    for (int c = 0; c < chains; ++c) a[c] = static_cast<T>(c + i % 8) * T(0.125);
    for (int r = 0; r < rounds; ++r)
      for (int c = 0; c < chains; ++c) a[c] = Kokkos::fma(a[c], T(0.75), T(0.25));
    T sum = 0;
    for (int c = 0; c < chains; ++c) sum += a[c];
    sums[i] = sum;
  }
};

/// The same on FP64 tensor cores, which compute the canon's bits: 16 x 8 outputs and 16 terms for each warp.
struct warp_chains {
  static constexpr int chains = 4;
  static constexpr double flops = 2.0 * 16 * 8 * 16 / 32 * chains;
  double* sums;
  int rounds;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] index_t i) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    double acc[chains][4] = {}, a[8], b[4];
    for (int e = 0; e < 8; ++e) a[e] = 0.01 * static_cast<double>(e + i % 32);
    for (int e = 0; e < 4; ++e) b[e] = 0.01 * static_cast<double>(e + i % 32);
    for (int r = 0; r < rounds; ++r)
      for (int c = 0; c < chains; ++c)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
            "{%12,%13,%14,%15}, {%0,%1,%2,%3};\n"
            : "+d"(acc[c][0]), "+d"(acc[c][1]), "+d"(acc[c][2]), "+d"(acc[c][3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
              "d"(b[1]), "d"(b[2]), "d"(b[3]));
    double sum = 0;
    for (int c = 0; c < chains; ++c) sum += acc[c][0] + acc[c][1] + acc[c][2] + acc[c][3];
    sums[i] = sum;
#endif
  }
};

template <class Kernel, class T>
double device_fma(const effort& how) {
  using device = Kokkos::DefaultExecutionSpace;
  const device exec;
  const index_t threads = index_t(exec.concurrency()) * 4 / 1024 * 1024;  // whole blocks: no warp with idle lanes
  const Kokkos::View<T*, typename device::memory_space> sums("sums", threads);
  const Kernel kernel{sums.data(), 4096};
  const auto run = [&] { Kokkos::parallel_for("abax-perf::fma", range<device>(exec, 0, threads), kernel); };
  return Kernel::flops * kernel.rounds * static_cast<double>(threads) /
         best_time(
             run, [&] { exec.fence(); }, how);
}

}  // namespace

ceilings measure_ceilings(backend where, double seconds) {
  ceilings found{};
  const effort how{seconds, where == backend::host ? host_sample : device_sample};
  if (where == backend::host) return measure_host_ceilings(how);
  measure_device_memory(found, how);
  found.update = found.combine = found.copy;
  found.fma_f32 = device_fma<thread_chains<float>, float>(how);
  found.fma_f64 = device_fma<thread_chains<double>, double>(how);
  found.fma_f32_by = found.fma_f64_by = "threads";
#if defined(KOKKOS_ENABLE_CUDA)
  if (Kokkos::Cuda().cuda_device_prop().major >= 9) {  // where gemm uses them
    const double tensor = device_fma<warp_chains, double>(how);
    if (tensor > found.fma_f64) {
      found.fma_f64 = tensor;
      found.fma_f64_by = "tensor cores";
    }
  }
#endif
  return found;
}

ceilings best_of(const ceilings& a, const ceilings& b) {
  const bool a_is_fast = a.fma_f64 >= b.fma_f64;  // by other instructions, perhaps
  return {std::max(a.copy, b.copy),
          std::max(a.read, b.read),
          std::max(a.update, b.update),
          std::max(a.combine, b.combine),
          std::max(a.fma_f32, b.fma_f32),
          std::max(a.fma_f64, b.fma_f64),
          a.fma_f32_by,
          a_is_fast ? a.fma_f64_by : b.fma_f64_by};
}

}  // namespace abax::perf
