// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backends' own launches: they must do what Kokkos' TeamPolicy does.
#include <Kokkos_Core.hpp>
#include <abax/abax.hpp>
#include <catch2/catch_test_macros.hpp>

#include "inputs.hpp"
#include "operands.hpp"
#include "portable_rows.hpp"
#include "spaces.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

using namespace abax::tests;
namespace openmp = abax::openmp;

namespace {

// What went wrong in a league of teams, each of which fills its scratch and looks at it again.
struct league {
  std::size_t scratch;
  std::vector<std::atomic<int>> runs;
  std::atomic<int> mistakes{0}, threads{0};

  league(int teams, std::size_t scratch_) : scratch(scratch_), runs(teams) {}

  void operator()(const openmp::member& team) {
    const int rank = team.league_rank();
    const std::size_t half = scratch / 2 / 64 * 64;
    auto* const first = static_cast<unsigned char*>(team.take_scratch(half));
    auto* const second = static_cast<unsigned char*>(team.take_scratch(half));
    const auto mark = static_cast<unsigned char>(rank * 37 + 11);
    std::memset(first, mark, half);
    std::memset(second, mark + 1, half);
    if (team.league_size() != static_cast<int>(runs.size()) || team.team_rank() != 0 || team.team_size() != 1 ||
        reinterpret_cast<std::uintptr_t>(first) % 64 != 0 || second != first + half)
      ++mistakes;
    team.team_barrier();
    ++runs.at(rank);
    if (omp_get_thread_num() >= threads) threads = omp_get_thread_num() + 1;
    for (std::size_t b = 0; b < half; ++b)
      if (first[b] != mark || second[b] != static_cast<unsigned char>(mark + 1)) ++mistakes;
  }
  bool each_once() const {
    for (const std::atomic<int>& r : runs)
      if (r != 1) return false;
    return mistakes == 0;
  }
};

void run(const Kokkos::OpenMP& exec, league& l) {
  openmp::launch_teams("test", exec, static_cast<int>(l.runs.size()), l.scratch,
                       [&](const openmp::member& team) { l(team); });
}

// A gemm whose bits are known; any number of threads may run it, each on operands of its own.
struct small_product {
  matrix<float> a = random_matrix<float>(70, 50, numbers::subnormal, 1),
                b = random_matrix<float>(50, 60, numbers::subnormal, 2), c = matrix<float>(70, 60);
  matrix<float> want = abax::reference::gemm('N', 'N', 1.0f, a, b, 0.0f, c);
  operand<float, Kokkos::OpenMP> A{a, {}}, B{b, {}}, C{c, {}};

  void run(const Kokkos::OpenMP& exec) const {
    abax::gemm(exec, "N", "N", 1.0f, A.view<Kokkos::LayoutLeft>(), B.view<Kokkos::LayoutLeft>(), 0.0f,
               C.view<Kokkos::LayoutLeft>());
  }
};

}  // namespace

TEST_CASE("A launch runs every team once, with scratch of its own", "[launch]") {
  for_each_thread_count([](const Kokkos::OpenMP& exec, int threads) {
    for (const int teams : {0, 1, 2, 3, 4, 5, 100, 3'000'000})
      for (const std::size_t scratch : {0, 192, 100'000}) {
        if (teams > 100 && scratch > 192) continue;
        league l(teams, scratch);
        run(exec, l);
        CAPTURE(threads, teams, scratch, l.mistakes.load());
        REQUIRE(l.each_once());
        REQUIRE(l.threads <= threads);
      }
  });
}

TEST_CASE("Threads share out the largest leagues", "[launch]") {
  constexpr std::uint32_t end = (std::uint32_t(1) << 31) - 1;
  openmp::share all;
  all.set(end - 3, end);
  REQUIRE(all.take_last() == int(end - 1));
  REQUIRE(all.take_first() == int(end - 3));
  REQUIRE(all.take_first() == int(end - 2));
  REQUIRE(all.take_first() == -1);
  REQUIRE(all.take_last() == -1);
}

TEST_CASE("Inside a parallel region a launch is serial, unless OpenMP nests regions", "[launch]") {
  const Kokkos::OpenMP exec(2);
  std::atomic<int> elsewhere{0}, wrong{0};
#pragma omp parallel num_threads(3)
  {
    league l(50, 192);
    const int self = omp_get_thread_num();
    openmp::launch_teams("test", exec, 50, 192, [&](const openmp::member& team) {
      if (omp_get_thread_num() != self) ++elsewhere;
      l(team);
    });
    if (!l.each_once()) ++wrong;
  }
  REQUIRE(elsewhere == 0);
  REQUIRE(wrong == 0);

  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);
  std::vector<Kokkos::OpenMP> instances{Kokkos::OpenMP(2), Kokkos::OpenMP(3)};
  std::atomic<int> threads[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    const int self = omp_get_thread_num();
    league l(50, 192);
    openmp::launch_teams("test", instances[self], 50, 192, [&](const openmp::member& team) {
      threads[self] = omp_get_num_threads();
      l(team);
    });
    if (!l.each_once()) ++wrong;
  }
  omp_set_max_active_levels(levels);
  REQUIRE(wrong == 0);
  REQUIRE(threads[0] == 2);
  REQUIRE(threads[1] == 3);
}

TEST_CASE("Every thread of a parallel region may call", "[launch][bits]") {
  std::vector<small_product> products(4);
  std::atomic<int> changed_modes{0};
#pragma omp parallel num_threads(4)
  {
    const small_product& mine = products[omp_get_thread_num()];
#ifdef __x86_64__
    constexpr unsigned flush = 0x1F80 | 0x8040, sticky = 0x3F;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(flush);
#endif
    for (int round = 0; round < 20; ++round) mine.run(Kokkos::OpenMP());
#ifdef __x86_64__
    if ((_mm_getcsr() & ~sticky) != flush) ++changed_modes;
    _mm_setcsr(before);
#endif
  }
  REQUIRE(changed_modes == 0);
  for (const small_product& p : products) REQUIRE(p.C.difference_from(p.want) == "");
}

TEST_CASE("Launches that take several threads do not overlap on one instance", "[launch]") {
  const Kokkos::OpenMP exec(2);
  std::atomic<int> current{-1}, overlaps{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        std::atomic<int> left{7};
        openmp::launch_teams("test", exec, 7, 64, [&](const openmp::member&) {
          const int before = current.exchange(t);
          if (before != t && before != -1) ++overlaps;
          std::this_thread::yield();
          if (current != t) ++overlaps;
          if (--left == 0) current = -1;
        });
      }
    });
  for (std::thread& thread : threads) thread.join();
  REQUIRE(overlaps == 0);
}

TEST_CASE("Launches that their callers serve alone work side by side", "[launch]") {
  const Kokkos::OpenMP exec(2);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::atomic<int> arrived{0};
  const auto meet = [&](const openmp::member&) {
    ++arrived;
    while (arrived < 3 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  };
  SECTION("threads of a parallel region") {
#pragma omp parallel num_threads(3)
    openmp::launch_teams("test", exec, 2, 64, meet);
    REQUIRE(arrived == 6);
  }
  SECTION("host threads, one team each") {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back([&] { openmp::launch_teams("test", exec, 1, 64, meet); });
    for (std::thread& thread : threads) thread.join();
    REQUIRE(arrived == 3);
  }
  REQUIRE(std::chrono::steady_clock::now() < patience);
}

TEST_CASE("A launch that throws leaves its instance fit for the next", "[launch]") {
  const Kokkos::OpenMP exec(2);
  REQUIRE_THROWS_AS(openmp::launch_teams("test", exec, 1, 64,
                                         [](const openmp::member&) { throw std::runtime_error("thrown by a team"); }),
                    std::runtime_error);
  league l(50, 192);
  run(exec, l);
  REQUIRE(l.each_once());
}

TEST_CASE("What the work on one of many items throws, the call throws", "[launch]") {
  const auto throwing = [](const openmp::instance&, index_t i) {
    if (i == 40) throw std::runtime_error("thrown by an item");
  };
  for_each_thread_count([&](const Kokkos::OpenMP& exec, int threads) {
    CAPTURE(threads);
    for (const double terms : {1.0, 1e6})
      REQUIRE_THROWS_AS(openmp::each_item("test", exec, 100, terms, throwing), std::runtime_error);
  });
}

TEST_CASE("Tools see a launch by its label", "[launch]") {
  static std::vector<std::string> seen;
  using namespace Kokkos::Tools::Experimental;
  const auto before = get_callbacks();
  set_begin_parallel_for_callback(
      [](const char* label, std::uint32_t, std::uint64_t* id) { *id = 42, seen.emplace_back(label); });
  set_end_parallel_for_callback([](std::uint64_t id) { seen.push_back("end of " + std::to_string(id)); });
  small_product().run(Kokkos::OpenMP());
  set_callbacks(before);
  REQUIRE(seen == std::vector<std::string>{"abax::gemm", "end of 42"});
}

TEST_CASE("Tools see that a sum as a value is waited for", "[launch]") {
  static int begun, ended;
  begun = ended = 0;
  const Kokkos::View<double[4], Kokkos::HostSpace> x("x"), y("y");
  Kokkos::deep_copy(x, 2);
  Kokkos::deep_copy(y, 3);
  using namespace Kokkos::Tools::Experimental;
  const auto before = get_callbacks();
  set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t* id) {
    if (std::string(label) == "abax::dot") *id = 43, ++begun;
  });
  set_end_fence_callback([](std::uint64_t id) { ended += id == 43; });
  const double sum = abax::dot(Kokkos::OpenMP(), x, y);
  set_callbacks(before);
  REQUIRE(sum == 24);
  REQUIRE(begun == 1);
  REQUIRE(ended == 1);
}
#endif

#ifdef KOKKOS_ENABLE_CUDA
namespace {

// Every team fills its scratch, looks at it again, and counts what is not as it should be.
struct filled_scratch {
  int words;
  int* mistakes;
  int* teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const mine = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(sizeof(int) * words, 128));
    const int mark = 1000 * team.league_rank();
    for (int i = team.team_rank(); i < words; i += team.team_size()) mine[i] = mark + i;
    team.team_barrier();
    int wrong = team.team_size() != 96 || reinterpret_cast<std::uintptr_t>(mine) % 128 != 0;
    for (int i = words - 1 - team.team_rank(); i >= 0; i -= team.team_size()) wrong += mine[i] != mark + i;
    if (wrong > 0) Kokkos::atomic_add(mistakes, wrong);
    if (team.team_rank() == 0) Kokkos::atomic_add(teams, 1);
  }
};

void check_scratch(const Kokkos::Cuda& exec, std::size_t most) {
  const Kokkos::View<int[2], Kokkos::CudaSpace> found("found");
  for (const std::size_t scratch : {most, most / 2}) {
    if (scratch + abax::cuda::collective_bytes > exec.cuda_device_prop().sharedMemPerBlockOptin) continue;
    Kokkos::deep_copy(found, 0);
    const int words = scratch < 256 ? 0 : static_cast<int>((scratch - 128) / sizeof(int));
    abax::cuda::launch_teams<96, 1>("test", exec, 1000, scratch, filled_scratch{words, found.data(), found.data() + 1});
    exec.fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    CAPTURE(scratch);
    REQUIRE(host(0) == 0);
    REQUIRE(host(1) == 1000);
  }
}

/// out <- in + 1, written where the next launch reads; the first team takes its time.
struct slow_increment {
  int size;
  const int* in;
  int* out;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;\n" ::: "memory");  // the next launch may begin
#endif
#ifdef __CUDA_ARCH__
    if (team.league_rank() == 0)
      for (int i = 0; i < 100; ++i) __nanosleep(1000);
#endif
    for (int i = team.league_rank() * team.team_size() + team.team_rank(); i < size;
         i += team.league_size() * team.team_size())
      out[i] = in[i] + 1;
  }
};

/// For a launch of Kokkos' own between ours.
struct doubled {
  const int* in;
  int* out;

  KOKKOS_FUNCTION void operator()(int i) const { out[i] = 2 * in[i]; }
};

}  // namespace

TEST_CASE("A CUDA team has the scratch it asks for", "[launch]") {
  const Kokkos::Cuda exec;
  check_scratch(exec, 0);
  check_scratch(exec, 8 << 10);
  check_scratch(exec, (48 << 10) - abax::cuda::collective_bytes);  // the most that needs no asking
  check_scratch(exec, (48 << 10) - abax::cuda::collective_bytes + 8);
  check_scratch(exec, (99 << 10) - abax::cuda::collective_bytes);
  check_scratch(exec, (227 << 10) - abax::cuda::collective_bytes);
}

TEST_CASE("A CUDA launch reads what the launches before it have written", "[launch]") {
  const Kokkos::Cuda exec;
  constexpr int size = 1000, launches = 200;
  const Kokkos::View<int*, Kokkos::CudaSpace> a("a", size), b("b", size);
  for (int l = 0; l < launches; l += 2) {
    abax::cuda::launch_teams<96, 1>("test", exec, 5, 0, slow_increment{size, a.data(), b.data()});
    abax::cuda::launch_teams<96, 1>("test", exec, 11, 0, slow_increment{size, b.data(), a.data()});
  }
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, size), doubled{a.data(), b.data()});
  abax::cuda::launch_teams<96, 1>("test", exec, 11, 0, slow_increment{size, b.data(), a.data()});
  exec.fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  int wrong = 0;
  for (int i = 0; i < size; ++i) wrong += host(i) != 2 * launches + 1;
  REQUIRE(wrong == 0);
}
#endif
