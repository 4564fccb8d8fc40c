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

/// A row of a table of plans: what the primitives are, and how fast they are beside the others.
template <class P>
constexpr tile::product_plan plan_of(const char* name, double rate) {
  return {name, P::rows, P::cols, P::depth(), P::residents, rate};
}
template <class P>
bool serves(const tile::product_plan& plan) {
  return plan.rows == P::rows && plan.cols == P::cols && plan.depth == P::depth();
}

/// The FP64 tensor cores of sm_90 were measured to follow the canon, and only code compiled for them can use them.
#ifdef KOKKOS_ARCH_HOPPER
inline constexpr bool compiled_for_hopper = true;
#else
inline constexpr bool compiled_for_hopper = false;
#endif

struct backend {
  using execution_space = Kokkos::Cuda;
  using policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  using member = policy::member_type;
  using workspace = cuda::workspace;

  // The primitives in use. How operands lie in memory (A, B, Width) changes their code, not their shape.
  template <along A, along B, int Width>
  using float_large = simt_product<float, 2, 2, 2, 4, 8, 2, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_medium = simt_product<float, 2, 2, 2, 2, 16, 3, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_small = simt_product<float, 1, 2, 2, 2, 16, 4, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_large = mma_product<4, 2, 2, 8, 16, 4, 3, 1, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_medium = mma_product<4, 2, 2, 4, 16, 8, 4, 1, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_small = mma_product<2, 2, 2, 4, 16, 8, 4, 2, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_anywhere = simt_product<double, 1, 2, 2, 2, 8, 1, A, B, Width, member>;
  template <class T, along A, int Width>
  using vector_tile = vector_product<T, A, Width, 256 / sizeof(T), 3, 4, member>;

  // The tables of plans, best first where speed is all that counts. Rates beside the first row were measured on an H200. The last row for double is for GPUs without FP64 tensor cores
  // that keep the canon.
  static constexpr along any = along::outer;
  static constexpr std::array<tile::product_plan, 3> float_table{plan_of<float_large<any, any, 1>>("128x128x8", 1.0),
                                                                 plan_of<float_medium<any, any, 1>>("128x64x16", 0.97),
                                                                 plan_of<float_small<any, any, 1>>("64x64x16", 0.9)};
  static constexpr std::array<tile::product_plan, 4> double_table{
      plan_of<double_large<any, any, 1>>("128x128x16 on tensor cores", 1.0),
      plan_of<double_medium<any, any, 1>>("128x64x16 on tensor cores", 0.97),
      plan_of<double_small<any, any, 1>>("64x64x16 on tensor cores", 0.94),
      plan_of<double_anywhere<any, any, 1>>("64x64x8", 0.5)};
  template <class T>
  static constexpr std::array<tile::product_plan, 1> vector_table{
      plan_of<vector_tile<T, along::outer, 1>>("32 rows", 1.0)};

  static backends::machine machine(const Kokkos::Cuda& exec) {
    const cudaDeviceProp& device = exec.cuda_device_prop();
    return {device.multiProcessorCount, device.sharedMemPerBlockOptin - collective_bytes};
  }

  template <class T>
  static std::span<const tile::product_plan> matrix_plans(const Kokkos::Cuda& exec) {
    if constexpr (std::is_same_v<T, float>) {
      return float_table;
    } else {
      const bool tensor_cores = compiled_for_hopper && exec.cuda_device_prop().major == 9;
      return std::span<const tile::product_plan>(double_table).subspan(tensor_cores ? 0 : 3);
    }
  }
  template <class T>
  static std::span<const tile::product_plan> vector_plans(const Kokkos::Cuda&) {
    return vector_table<T>;
  }

  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    const bool several_blocks = tile::canon_blocks(problem.terms()) > 1;
    const auto found = [&]<class P>(std::type_identity<P> primitives) {
      visit(primitives, typename P::parameters{several_blocks});
    };
    with_access<T>(problem.a, problem.b.transposed(), [&]<along A, along B, int Width>() {
      if constexpr (std::is_same_v<T, float>)
        first_that_serves<float_large<A, B, Width>, float_medium<A, B, Width>, float_small<A, B, Width>>(plan, found);
      else
        first_that_serves<double_large<A, B, Width>, double_medium<A, B, Width>, double_small<A, B, Width>,
                          double_anywhere<A, B, Width>>(plan, found);
    });
  }

  template <class T, class Visit>
  static void with_vector_product(const tile::product<T>& problem, const tile::product_plan&, Visit&& visit) {
    const tile::matrix<const T>& a = problem.a;
    const tile::matrix<const T>& x = problem.b;
    const bool wide_x = wide_access(x.data, x.row_stride, 0);
    const auto found = [&]<along A, int Width>() { hand<vector_tile<T, A, Width>>(visit); };
    constexpr int wide = 16 / sizeof(T);
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
      hand<dot<T, 16 / sizeof(T), member>>(visit);
    else
      hand<dot<T, 1, member>>(visit);
  }
  template <class T, class Visit>
  static void with_transpose(const tile::transpose<T>&, Visit&& visit) {
    hand<transpose<T, 64, 64, 128, member>>(visit);
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
  static void launch(const char* label, const Kokkos::Cuda& exec, int teams, std::size_t scratch,
                     const Functor& functor) {
    launch_teams<P::team_size, P::residents, P::most_scratch>(label, exec, teams, scratch, functor);
  }

 private:
  // The last one serves whatever the others do not.
  template <class P, class... Others, class Found>
  static void first_that_serves(const tile::product_plan& plan, const Found& found) {
    if constexpr (sizeof...(Others) > 0) {
      if (!serves<P>(plan)) return first_that_serves<Others...>(plan, found);
    }
    found(std::type_identity<P>{});
  }
  template <class P, class Visit>
  static void hand(Visit& visit) {
    visit(std::type_identity<P>{}, typename P::parameters{});
  }

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
      hand<stream<16 / sizeof(T), member>>(visit);
    else
      hand<stream<1, member>>(visit);
  }
};

}  // namespace abax::cuda
