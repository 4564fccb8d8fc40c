// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_integer takes wgmma where the GPU has it, so on Hopper the engine for sm_80 and later is only reached here: its
// remainders, its sums and what a check weighs against sums of integers on the host.
#include <Kokkos_Core.hpp>
#include <abax/gemm_integer.hpp>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "integer_planes.hpp"
#include "portable_rows.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "abax/detail/launch/gemm_bytes_def.hpp"
#endif

using namespace abax::tests;

#ifdef KOKKOS_ENABLE_CUDA
namespace {

namespace launch = abax::launch;
namespace tile = abax::tile;
using memory = Kokkos::CudaSpace;

struct mma_backend : abax::cuda::backend {
  using residue_product_rows = abax::backends::rows<abax::cuda::mma_residue_row>;
};

/// Two operands' planes of all bytes that there are, of which the product takes `terms` terms from `first` on.
class engine_case {
 public:
  engine_case(index_t rows, index_t cols, index_t terms, index_t first, int count)
      : count_(count),
        a_(tile::plane_order::blocks, rows, first + terms, count, 1, 256),
        b_(tile::plane_order::blocks, cols, first + terms, count, 2, 256),
        bytes_a_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a_.bytes)),
        bytes_b_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b_.bytes)),
        host_a_(a_.planes),
        host_b_(b_.planes),
        problem_{a_.planes, b_.planes, first, terms, nullptr, false} {
    host_a_.data = bytes_a_.data();
    host_b_.data = bytes_b_.data();
  }

  /// Compares elements (i, j) for which i + j is a multiple of `step`.
  void check(index_t step) const {
    const Kokkos::View<std::uint8_t*, memory> c("c", bytes_of_c());
    tile::residue_product problem = problem_;
    problem.c = c.data();
    for (const bool adds : {false, true}) {
      problem.adds = adds;
      run(problem);
      const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
      for (int t = 0; t < count_; ++t)
        each(step, [&](index_t i, index_t j) {
          const std::int64_t p = tile::moduli[static_cast<std::size_t>(t)];
          const std::int64_t want = ((adds ? 2 : 1) * sum(t, i, j) % p + p) % p;
          const int is = got(static_cast<std::size_t>(problem.remainders(t, i, j) - problem.c));
          if (is != want) FAIL("remainder " << t << ", " << i << ", " << j << " is " << is << ", not " << want);
        });
    }
  }
  /// Sums of one plane in C, which wrap around.
  void check_sums(index_t step) const {
    const index_t rows = problem_.rows();
    const Kokkos::View<std::int32_t*, memory> c("c", static_cast<std::size_t>(rows * problem_.cols()));
    tile::residue_product one = problem_;
    one.a.count = one.b.count = 1;
    constexpr std::int32_t alpha = (1 << 30) + 3;
    run(tile::byte_product{one, {c.data(), rows, problem_.cols(), 1, rows}, alpha, 0, false, nullptr});
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
    each(step, [&](index_t i, index_t j) {
      const auto want = static_cast<std::int32_t>(std::uint32_t(alpha) * static_cast<std::uint32_t>(sum(0, i, j)));
      const std::int32_t is = got(static_cast<std::size_t>(i + j * rows));
      if (is != want) FAIL("sum " << i << ", " << j << " is " << is << ", not " << want);
    });
  }
  /// Sums of tiles are those of the lines' weights.
  void check_weights() const {
    constexpr tile::residue_tile_shape shape = abax::cuda::byte_tile;
    const auto tiles = static_cast<std::size_t>(problem_.tiles(shape).all());
    tile::line_weights of_a{a_.planes, false, true, shape.rows, nullptr},
        of_b{b_.planes, false, false, shape.cols, nullptr};
    const Kokkos::View<std::int64_t*, memory> weights_a("a", of_a.size()), weights_b("b", of_b.size());
    of_a.weighed = weights_a.data();
    of_b.weighed = weights_b.data();
    run(of_a);
    run(of_b);
    const Kokkos::View<std::uint64_t*, memory> sums("sums", tiles);
    const Kokkos::View<std::uint8_t*, memory> faults("faults", tiles), c("c", bytes_of_c());
    tile::residue_product problem = problem_;
    problem.c = c.data();
    problem.terms = end() - problem.first;
    std::vector<std::uint8_t> found;
    REQUIRE_NOTHROW(launch::run_checked<mma_backend>("test", exec_, machine_, problem, of_a, of_b, sums.data(),
                                                     faults.data(), found, 0, 0, false));
  }

  /// Compares remainders and sums of elements (i, j) for which i + j is a multiple of `step`, and weights.
  void check_all(index_t step) const {
    check(step);
    check_sums(step);
    check_weights();
  }

 private:
  std::size_t bytes_of_c() const {
    return static_cast<std::size_t>(count_ * tile::remainder_stride(problem_.rows()) * problem_.cols());
  }
  template <class Problem>
  void run(const Problem& problem) const {
    launch::run_step<mma_backend>("test", exec_, machine_, problem);
    exec_.fence();
  }
  template <class Visit>
  void each(index_t step, const Visit& visit) const {
    for (index_t j = 0; j < problem_.cols(); ++j)
      for (index_t i = (step - j % step) % step; i < problem_.rows(); i += step) visit(i, j);
  }
  /// Bytes behind the last term are multiplied, too, to the end of their block: gemm_integer fills it with zeros.
  index_t end() const {
    return problem_.terms == 0 ? problem_.first : tile::ceil_div<index_t>(problem_.first + problem_.terms, 128) * 128;
  }
  std::int64_t sum(int t, index_t i, index_t j) const {
    std::int64_t all = 0;
    for (index_t p = problem_.first; p < end(); p += 16) {
      const std::uint8_t *a = host_a_.chunk(t, i, p), *b = host_b_.chunk(t, j, p);
      for (int q = 0; q < 16; ++q) all += static_cast<std::int8_t>(a[q]) * static_cast<std::int8_t>(b[q]);
    }
    return all;
  }

  int count_;
  random_planes<Kokkos::Cuda> a_, b_;
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> bytes_a_, bytes_b_;
  tile::byte_planes<const std::uint8_t> host_a_, host_b_;
  tile::residue_product problem_;
  Kokkos::Cuda exec_;
  abax::cuda::machine machine_ = abax::cuda::backend::machine(exec_);
};

}  // namespace
#endif

TEST_CASE("A reduced set of sm_80's products of bytes for the sanitizers", "[integer][sanitizer]") {
#ifdef KOKKOS_ENABLE_CUDA
  if (!abax::cuda::backend::machine(Kokkos::Cuda()).byte_tensor_cores) SKIP("needs a GPU of sm_80 or later");
  const engine_case some(9, 17, 1000, 128, 2);
  some.check_all(1);
#else
  SKIP("needs a GPU");
#endif
}

TEST_CASE("Tensor cores of sm_80 multiply bytes as integers", "[integer]") {
#ifdef KOKKOS_ENABLE_CUDA
  if (!abax::cuda::backend::machine(Kokkos::Cuda()).byte_tensor_cores) SKIP("needs a GPU of sm_80 or later");
  for (const auto& [rows, cols, terms, first] :
       {std::array<index_t, 4>{1, 1, 1, 0}, {9, 17, 128, 128}, {300, 270, 131, 0}, {65, 520, 1000, 256}}) {
    CAPTURE(rows, cols, terms, first);
    const engine_case some(rows, cols, terms, first, 3);
    some.check_all(1);
  }
  engine_case(5, 3, 0, 0, 1).check_sums(1);
  const engine_case many(700, 2300, 300, 0, 6);  // more tiles than teams run at once
  many.check_all(13);
#else
  SKIP("needs a GPU");
#endif
}
