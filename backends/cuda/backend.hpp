// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend: a team is a thread block, scratch is shared memory.
#include <Kokkos_Core.hpp>
#include <array>
#include <span>
#include <type_traits>

#include "backends/cuda/dot.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/mma_product.hpp"
#include "backends/cuda/simt_product.hpp"
#include "backends/cuda/stream.hpp"
#include "backends/cuda/transpose.hpp"
#include "backends/cuda/vector_product.hpp"
#include "backends/cuda/workspace.hpp"
#include "backends/primitives.hpp"

namespace abax::cuda {

/// The tables of plans. A row's place in its table is the argument of the visit that turns it into primitives.
template <class T>
inline constexpr std::array<tile::product_plan, 2> matrix_table = {};
template <>
inline constexpr std::array<tile::product_plan, 2> matrix_table<float> = {
    {{"128x128x16", 128, 128, 16, 2, 1.0}, {"64x64x8", 64, 64, 8, 8, 0.8}}};
template <>
inline constexpr std::array<tile::product_plan, 2> matrix_table<double> = {
    {{"64x64x16 mma", 64, 64, 16, 2, 1.0}, {"64x64x8 simt", 64, 64, 8, 1, 0.5}}};
inline constexpr std::array<tile::product_plan, 1> vector_table{{{"32x1x64", 32, 1, 64, 4, 1.0}}};

struct backend {
  using execution_space = Kokkos::Cuda;
  using policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  using member = policy::member_type;
  using workspace = cuda::workspace;

  static backends::machine machine(const Kokkos::Cuda& exec) {
    const cudaDeviceProp& device = exec.cuda_device_prop();
    return {device.multiProcessorCount, device.sharedMemPerBlockOptin - collective_bytes};
  }

  template <class T>
  static std::span<const tile::product_plan> matrix_plans(const Kokkos::Cuda& exec) {
    const std::span<const tile::product_plan> rows = matrix_table<T>;
    const bool fp64_tensor_cores = exec.cuda_device_prop().major >= 9;
    return std::is_same_v<T, double> && !fp64_tensor_cores ? rows.subspan(1) : rows;
  }
  template <class T>
  static std::span<const tile::product_plan> vector_plans(const Kokkos::Cuda&) {
    return vector_table;
  }

  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    const auto a = problem.a;
    const auto b = problem.b.transposed();  // outer index first, as a is
    const bool several_blocks = tile::canon_blocks(problem.terms()) > 1;
    with_access<T>(a, b, [&]<along A, along B, int Width>() {
      const auto found = [&]<class P>(std::type_identity<P> primitives) {
        visit(primitives, typename P::parameters{several_blocks});
      };
      if constexpr (std::is_same_v<T, float>) {
        if (plan.rows == 128)
          found(std::type_identity<simt_product<T, 2, 4, 16, A, B, Width, member>>{});
        else
          found(std::type_identity<simt_product<T, 1, 2, 8, A, B, Width, member>>{});
      } else {
        if (plan.depth == 16)
          found(std::type_identity<mma_product<2, 2, 16, 4, A, B, Width, member>>{});
        else
          found(std::type_identity<simt_product<T, 1, 2, 8, A, B, Width, member>>{});
      }
    });
  }

  template <class T, class Visit>
  static void with_vector_product(const tile::product<T>& problem, const tile::product_plan&, Visit&& visit) {
    const tile::matrix<const T>& a = problem.a;
    const tile::matrix<const T>& x = problem.b;
    const bool wide_x = wide_access(x.data, x.row_stride, 0);
    constexpr int wide = 16 / sizeof(T), depth = 256 / sizeof(T), stages = 3, warps = 4;
    const auto found = [&]<along A, int Width>() {
      using primitives = vector_product<T, A, Width, depth, stages, warps, member>;
      visit(std::type_identity<primitives>{}, typename primitives::parameters{});
    };
    if (a.row_stride == 1 || a.col_stride != 1) {
      if (wide_x && wide_access(a.data, a.row_stride, a.col_stride))
        found.template operator()<along::outer, wide>();
      else
        found.template operator()<along::outer, 1>();
    } else {
      if (wide_x && wide_access(a.data, a.col_stride, a.row_stride))
        found.template operator()<along::terms, wide>();
      else
        found.template operator()<along::terms, 1>();
    }
  }

  template <class T, class Visit>
  static void with_dot(const tile::dot<T>& problem, Visit&& visit) {
    if (wide_access(problem.x.data, problem.x.stride, 0) && wide_access(problem.y.data, problem.y.stride, 0))
      visit(std::type_identity<dot<T, 16 / sizeof(T), member>>{});
    else
      visit(std::type_identity<dot<T, 1, member>>{});
  }
  template <class T, class Visit>
  static void with_transpose(const tile::transpose<T>&, Visit&& visit) {
    using primitives = transpose<T, 64, 64, 128, member>;
    visit(std::type_identity<primitives>{}, typename primitives::parameters{});
  }
  template <class T, class Visit>
  static void with_stream(const tile::combine<T>& k, Visit&& visit) {
    with_stream_width<T>(visit, k.x, k.y, k.z);
  }
  template <class T, class Visit>
  static void with_stream(const tile::increment<T>& k, Visit&& visit) {
    with_stream_width<T>(visit, k.x);
  }
  template <class T, class Visit>
  static void with_stream(const tile::copy<T>& k, Visit&& visit) {
    with_stream_width<T>(visit, k.x, k.y);
  }

  template <class P, class Functor>
  static void launch(const char* label, const Kokkos::Cuda& exec, index_t teams, std::size_t scratch,
                     const Functor& functor) {
    launch_teams<P::team_size, P::residents, P::most_scratch>(label, exec, static_cast<int>(teams), scratch, functor);
  }

 private:
  // Calls found<A, B, Width>() for the way both operands lie in memory. An operand contiguous in neither index, or
  // not aligned to 16 bytes, takes both to element-wise copies.
  template <class T, class Found>
  static void with_access(const tile::matrix<const T>& a, const tile::matrix<const T>& b, const Found& found) {
    const auto direction = [](const tile::matrix<const T>& m) {
      return m.row_stride != 1 && m.col_stride == 1 ? along::terms : along::outer;
    };
    const auto wide = [&](const tile::matrix<const T>& m) {
      return direction(m) == along::outer ? wide_access(m.data, m.row_stride, m.col_stride)
                                          : wide_access(m.data, m.col_stride, m.row_stride);
    };
    const auto with_width = [&]<int Width>() {
      const bool a_outer = direction(a) == along::outer, b_outer = direction(b) == along::outer;
      if (a_outer && b_outer)
        found.template operator()<along::outer, along::outer, Width>();
      else if (a_outer)
        found.template operator()<along::outer, along::terms, Width>();
      else if (b_outer)
        found.template operator()<along::terms, along::outer, Width>();
      else
        found.template operator()<along::terms, along::terms, Width>();
    };
    if (wide(a) && wide(b))
      with_width.template operator()<16 / sizeof(T)>();
    else
      with_width.template operator()<1>();
  }

  template <class T, class Visit, class... Vectors>
  static void with_stream_width(Visit&& visit, const Vectors&... v) {
    if ((wide_access<T>(v.data, v.stride, 0) && ...))
      visit(std::type_identity<stream<16 / sizeof(T), member>>{});
    else
      visit(std::type_identity<stream<1, member>>{});
  }
};

}  // namespace abax::cuda
