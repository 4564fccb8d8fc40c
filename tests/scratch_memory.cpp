// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of docs/scratch_memory.md, as they stand there: each turns matrices of many shapes, and nothing else.
#include <Kokkos_Core.hpp>
#include <abax/team.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "../perf/lab/model/layout.hpp"
#include "../perf/lab/model/occupancy.hpp"
#include "../perf/lab/model/sectors.hpp"
#include "abax/detail/tile/banks.hpp"
#include "abax/detail/tile/matrix.hpp"
#include "abax/detail/tile/transpose.hpp"
#include "inputs.hpp"
#include "operands.hpp"
#include "spaces.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "abax/detail/backends/cuda/async_copy.hpp"
#include "abax/detail/backends/cuda/ring.hpp"
#endif

namespace tutorial {

#include "scratch_memory.hpp"  // made of the text's blocks

#ifdef KOKKOS_ENABLE_CUDA
#include "scratch_memory_cuda.hpp"
#endif

}  // namespace tutorial

namespace {

using abax::index_t;

struct shape {
  index_t rows, cols;
};

/// One element of `a` that no other one equals, so that whatever lands in a wrong place is seen.
float number(index_t i, index_t j) { return static_cast<float>(i * 1024 + j + 1); }

/// b <- a^T by `launch`, both with lines longer than they need be: everything that is to be written, and nothing else.
template <class Space, class Launch>
void turns(const Space& exec, shape s, const Launch& launch) {
  const index_t ld_a = s.cols + 3, ld_b = s.rows + 5, height_b = s.cols + 2;
  constexpr float untouched = -7;
  Kokkos::View<float*, Space> a("a", s.rows * ld_a), b("b", height_b * ld_b);
  const auto host_a = Kokkos::create_mirror_view(a), host_b = Kokkos::create_mirror_view(b);
  for (index_t i = 0; i < s.rows; ++i)
    for (index_t j = 0; j < ld_a; ++j)
      host_a(i * ld_a + j) = j < s.cols ? number(i, j) : std::numeric_limits<float>::quiet_NaN();
  for (index_t k = 0; k < height_b * ld_b; ++k) host_b(k) = untouched;
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(b, host_b);
  launch(exec, abax::tile::matrix<const float>{a.data(), s.rows, s.cols, ld_a, 1},
         abax::tile::matrix<float>{b.data(), s.cols, s.rows, ld_b, 1});
  exec.fence();
  Kokkos::deep_copy(host_b, b);
  index_t wrong = 0;
  for (index_t j = 0; j < height_b; ++j)
    for (index_t i = 0; i < ld_b; ++i)
      wrong += host_b(j * ld_b + i) != (j < s.cols && i < s.rows ? number(i, j) : untouched);
  CAPTURE(Space::name(), s.rows, s.cols);
  REQUIRE(wrong == 0);
}

const std::vector<shape> whole_tiles{{32, 32}, {32, 96}, {128, 64}};
const std::vector<shape> any_shapes{{1, 1}, {31, 33}, {33, 65}, {65, 33}, {32, 32}, {64, 160}, {100, 7}, {7, 200}};

}  // namespace

TEST_CASE("The tutorial's sixteen numbers are turned", "[tutorial]") {
  abax::tests::for_each_space([](const auto& exec) {
    using Space = std::decay_t<decltype(exec)>;
    Kokkos::View<int*, Space> found("found", 16);
    tutorial::turn_numbers<Space>::launch(exec, found.data());
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    const std::vector<int> want{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    REQUIRE(std::vector<int>(host.data(), host.data() + 16) == want);
  });
}

TEST_CASE("The tutorial's kernels transpose", "[tutorial]") {
  using namespace tutorial;
  abax::tests::for_each_space([](const auto& exec) {
    using Space = std::decay_t<decltype(exec)>;
    for (const shape s : whole_tiles) {
      turns(exec, s, transpose_tiled<Space, plain>::launch);
      turns(exec, s, transpose_tiled<Space, padded>::launch);
      turns(exec, s, transpose_tiled<Space, swizzled>::launch);
    }
    for (const shape s : any_shapes) {
      turns(exec, s, transpose_naive<Space>::launch);
      turns(exec, s, transpose_guarded<Space, swizzled>::launch);
      turns(exec, s, transpose_band<Space, padded>::launch);
    }
  });
#ifdef KOKKOS_ENABLE_CUDA
  for (const shape s : any_shapes) {
    turns(Kokkos::Cuda(), s, transpose_ring<padded, 2>::launch);
    turns(Kokkos::Cuda(), s, transpose_ring<swizzled, 4>::launch);
  }
#endif
}

namespace {

// C <- A B in tiles of Edge x Edge, by a team of `Threads` threads where it has several.
template <int Edge, int Depth, int Threads, class T, class Exec>
void multiplies(const Exec& exec, index_t m, index_t n, index_t k, abax::tests::numbers kind) {
  using namespace abax::tests;
  const matrix<T> a = random_matrix<T>(m, k, kind, 2), b = random_matrix<T>(k, n, kind, 3);
  const placement even{layout::right, 0, 0}, odd{layout::right, 3, 1};
  for (const placement& where : {even, odd}) {
    const operand<T, Exec> A(a, where), B(b, where), C(random_matrix<T>(m, n, numbers::nan, 4), odd);
    using kernel = tutorial::product_by_tiles<Exec, T, Edge, Depth, Threads>;
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Threads>> policy(
        exec, (m + Edge - 1) / Edge * ((n + Edge - 1) / Edge), on_host ? 1 : Threads);
    Kokkos::parallel_for(
        "product", policy.set_scratch_size(0, Kokkos::PerTeam(kernel::scratch)),
        kernel{A.template view<Kokkos::LayoutRight, const T>(), B.template view<Kokkos::LayoutRight, const T>(),
               C.template view<Kokkos::LayoutRight>()});
    exec.fence();
    CAPTURE(Exec::name(), Edge, Depth, m, n, k, where.text());
    REQUIRE(C.difference_from(abax::reference::gemm('N', 'N', T(1), a, b, T(0), matrix<T>(m, n))) == "");
  }
}

}  // namespace

TEMPLATE_TEST_CASE("The tutorial's product has gemm's bits", "[tutorial][team][bits]", float, double) {
  using abax::tests::numbers;
  using T = TestType;
  abax::tests::for_each_space([](const auto& exec) {
    multiplies<64, 16, 128, T>(exec, 64, 64, 64, numbers::unit);
    multiplies<64, 16, 128, T>(exec, 130, 65, 33, numbers::special);
    multiplies<64, 16, 128, T>(exec, 5, 200, 17, numbers::wide);
    multiplies<64, 16, 128, T>(exec, 70, 67, 4100, numbers::unit);
    multiplies<32, 32, 64, T>(exec, 96, 64, 128, numbers::unit);
    if constexpr (sizeof(T) == 4) multiplies<64, 32, 64, T>(exec, 129, 70, 4100, numbers::unit);
    multiplies<32, 32, 256, T>(exec, 33, 31, 2060, numbers::vanishing);
    if constexpr (sizeof(T) == 4)  // stages that a block of the canon ends in; in double they are too large
      multiplies<16, 96, 64, T>(exec, 33, 17, 4100, numbers::unit);
    if constexpr (sizeof(T) == 4) multiplies<8, 288, 64, T>(exec, 19, 9, 1000, numbers::unit);
    multiplies<32, 16, 1024, T>(exec, 40, 33, 19, numbers::subnormal);
  });
}
