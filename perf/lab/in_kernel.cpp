// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experiment "in kernel": products that many teams compute from tiles in their scratch, and the tutorial's product.
#include <abax/gemm.hpp>
#include <abax/team.hpp>
#include <cstring>
#include <type_traits>

#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/transpose.hpp"
#include "arrays.hpp"
#include "figures.hpp"
#include "model/layout.hpp"
#include "model/occupancy.hpp"
#include "model/sectors.hpp"

namespace tutorial {

#include "scratch_memory.hpp"  // made of the text's blocks

}  // namespace tutorial

namespace abax::lab {
namespace {

/// C of each team <- A B, all of them of the same A (M x K) and B (K x N), rows contiguous.
template <class T>
struct team_operands {
  const T *A, *B;
  T* C;
  int rounds;  ///< products of a team; each writes C anew
};

/// Both operands in scratch, as `A` and `B` are there; then the products.
template <class Space, class T, int M, int N, int K, class A, class B, class Multiply>
struct products_of_team {
  static constexpr std::size_t bytes = A::shmem_size() + B::shmem_size();
  team_operands<T> x;

  KOKKOS_FUNCTION void operator()(const auto& team) const {
    using input = Kokkos::View<const T**, Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    using output = Kokkos::View<T[M][N], Kokkos::LayoutRight, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    const A a(team.team_scratch(0));
    const B b(team.team_scratch(0));
    team::stage(team, input(x.A, M, K), a);
    team::stage(team, input(x.B, K, N), b);
    team::wait(team);
    const output c(x.C + index_t(team.league_rank()) * M * N);
    for (int round = 0; round < x.rounds; ++round) Multiply()(team, a, b, c);
  }
};

/// A thread for each output, as in KokkosBatched's TeamGemm.
struct by_outputs {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const auto& team, const auto& a, const auto& b, const auto& c) const {
    using T = std::decay_t<decltype(c(0, 0))>;
    const int n = static_cast<int>(b.extent(1)), k = static_cast<int>(a.extent(1));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(a.extent(0)) * n), [&](int e) {
      const int i = e / n, j = e % n;
      T sum = 0;
      for (int p = 0; p < k; ++p) sum = Kokkos::fma(a(i, p), b(p, j), sum);
      c(i, j) = sum;
    });
    team.team_barrier();
  }
};
struct by_team {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const auto& team, const auto& a, const auto& b, const auto& c) const {
    using T = std::decay_t<decltype(c(0, 0))>;
    team::gemm(team, T(1), a, b, T(0), c);
  }
};
/// Of extents that the compiler is not told.
struct by_team_of_any_size {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const auto& team, const auto& a, const auto& b, const auto& c) const {
    using T = std::decay_t<decltype(c(0, 0))>;
    const int m = static_cast<int>(c.extent(0)), n = static_cast<int>(c.extent(1)), k = static_cast<int>(a.extent(1));
    const Kokkos::View<T**, Kokkos::LayoutRight, typename std::decay_t<decltype(c)>::memory_space,
                       Kokkos::MemoryUnmanaged>
        all(c.data(), m, n);
    team::gemm(team, T(1), a.part(m, k), b.part(k, n), T(0), all);
  }
};

template <class Space, class T, int M, int N, int K>
struct products {
  using plain_a = scratch_tile<T, M, K>;
  using plain_b = scratch_tile<T, K, N>;
  using free_a = scratch_tile<T, M, K, abax::access::copy_rows, abax::access::multiply_rows>;
  using free_b = scratch_tile<T, K, N, abax::access::copy_rows, abax::access::multiply_columns>;
  template <class A, class B, class Multiply>
  using kernel = products_of_team<Space, T, M, N, K, A, B, Multiply>;

  static constexpr bool on_host = backend_of<Space> == backend::host;
  // In float a thread has 4 x 4 outputs of the small product, 8 x 8 of the others and, of the largest, two of these,
  // with registers enough; in double, warps share tiles for tensor cores.
  static constexpr int threads_for_tiles = sizeof(T) == 8 ? (M >= 128 ? 256 : 128) : M >= 128 ? 128 : 64;
  using bounds = std::conditional_t<sizeof(T) == 4 && (M >= 128), Kokkos::LaunchBounds<128, 3>, Kokkos::LaunchBounds<>>;
  const settings& how;
  bench& all;
  int league = how.small() ? 8 : on_host ? 8 : 132 * 16;
  int rounds = how.small() || on_host ? 2 : 32;
  array<Space, T> A = uninitialised<array<Space, T>>(M * K), B = uninitialised<array<Space, T>>(K * N),
                  C = uninitialised<array<Space, T>>(index_t(league) * M * N);

  struct number {
    int operand;
    KOKKOS_FUNCTION T operator()(index_t i) const { return perf::input<T>(operand, i); }
  };
  /// Element e of every team's C.
  struct expected {
    KOKKOS_FUNCTION T operator()(index_t e) const {
      const index_t i = e % (M * N) / N, j = e % N;
      T sum = 0;
      for (index_t p = 0; p < K; ++p)
        sum = Kokkos::fma(perf::input<T>(1, i * K + p), perf::input<T>(2, p * N + j), sum);
      return sum;
    }
  };

  template <class Kernel, class Bounds = Kokkos::LaunchBounds<>>
  void add(const std::string& name, int threads) {
    poison(C);
    const team_operands<T> x{A.data(), B.data(), C.data(), rounds};
    const int count = league;
    const auto run = [=] {
      Kokkos::parallel_for("abax-lab::in_kernel", teams<Space, Bounds>(count, threads, Kernel::bytes), Kernel{x});
    };
    const auto right = [=, this] { return require<Space>(C.data(), static_cast<index_t>(C.size()), expected()); };
    const std::string size = std::to_string(M) + " x " + std::to_string(N) + " x " + std::to_string(K);
    all.add({.name = (sizeof(T) == 4 ? "float/" : "double/") + size + "/" + name,
             .launch = run,
             .check = right,
             .given = {{"flops", 2.0 * M * N * K * rounds * count}}});
  }

  void run() {
    fill<Space>(A.data(), M * K, number{1});
    fill<Space>(B.data(), K * N, number{2});
    const int threads = M >= 128 ? 256 : 128;
    add<kernel<plain_a, plain_b, by_outputs>>("a thread for each output", threads);
    add<kernel<plain_a, plain_b, by_team>, bounds>("team::gemm, plain tiles", threads_for_tiles);
    add<kernel<free_a, free_b, by_team_of_any_size>>("team::gemm, any size", threads);
    add<kernel<free_a, free_b, by_team>, bounds>("team::gemm", threads_for_tiles);
  }
};

template <class Space, class T>
void run_on(const settings& how, experiment_result& result) {
  bench all(how, backend_of<Space>, result);
  products<Space, T, 32, 32, 32> small{how, all};
  products<Space, T, 64, 64, sizeof(T) == 4 ? 64 : 32> medium{how, all};
  products<Space, T, 128, 128, sizeof(T) == 4 ? 32 : 16> large{how, all};
  small.run();
  medium.run();
  large.run();
  result.draw(bars({std::string("Products in scratch, in ") + (sizeof(T) == 4 ? "float" : "double") + ", on " +
                        perf::backend_name(backend_of<Space>),
                    "Every team brings two tiles to its scratch once and multiplies them again and again. A thread "
                    "that computes one output at a time reads two words for each multiply-add; register tiles use "
                    "each word several times, and tiles of the declared accesses are read without bank conflicts."},
                   bars_of(all.finish(), rate_of("flops")), "GFLOP/s"));
}

/// The tutorial's product beside the library's, of n x n floats.
template <class Space>
void run_tutorial(const settings& how, experiment_result& result) {
  constexpr bool on_host = backend_of<Space> == backend::host;
  constexpr int edge = 64, threads = 64;  // so that several teams of a multiprocessor cover each other's barriers
  using kernel = tutorial::product_by_tiles<Space, float, edge, 32, threads>;
  const index_t n = how.small() ? 256 : on_host ? 1024 : 4096, tiles = (n + edge - 1) / edge;
  bench all(how, backend_of<Space>, result);
  const array<Space> A = inputs<Space>(1, n * n), B = inputs<Space>(2, n * n), C = uninitialised<array<Space>>(n * n);
  const matrix<Space, const float> a(A.data(), n, n), b(B.data(), n, n);
  const matrix<Space, float> c(C.data(), n, n);
  const std::map<std::string, double> given{{"flops", 2.0 * double(n) * double(n) * double(n)}};
  std::vector<float> expected;
  const auto add = [&](const char* name, const std::function<void()>& run) {
    poison(C);
    all.add(
        std::to_string(n) + "/" + name, "portable", run,
        [&] {
          if (expected.empty()) expected = values_of(C);
          if (std::memcmp(expected.data(), values_of(C).data(), sizeof(float) * expected.size()) != 0)
            throw wrong_output("the tutorial's product has other bits than the library's");
          return std::string("bits of every element against the library's");
        },
        given);
  };
  add("production", [=] { abax::gemm(Space(), "N", "N", 1.0F, a, b, 0.0F, c); });
  add("the tutorial's", [=] {
    Kokkos::parallel_for("abax-lab::in_kernel", teams<Space>(tiles * tiles, threads, kernel::scratch), kernel{a, b, c});
  });
  result.draw(bars({"Forty lines beside the library on " + perf::backend_name(backend_of<Space>),
                    "Chapter 12 of the tutorial, in tiles of 64 x 64 with k by 32. Both products have the same bits."},
                   bars_of(all.finish(), rate_of("flops")), "GFLOP/s"));
}

}  // namespace

void run_in_kernel(const settings& how, experiment_result& result) {
  result.text = {
      "What a kernel of a user gets from abax::team::gemm: many teams, each with its own small product of operands in "
      "its scratch, and its output in global memory. All have the bits of abax::gemm."};
  for_each_space(how, [&]<class Space>(Space) {
    run_on<Space, float>(how, result);
    run_on<Space, double>(how, result);
    run_tutorial<Space>(how, result);
  });
}

}  // namespace abax::lab
