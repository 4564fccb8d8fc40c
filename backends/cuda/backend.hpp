// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend: a team is a thread block, scratch is shared memory.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

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

/// A row of a table of plans: what the primitives are, how fast they are beside the others, and what a tile costs beside
/// its terms.
template <class P>
constexpr tile::product_plan plan_of(const char* name, double rate, double ends = 60, int shares = 1) {
  return {name, P::rows, P::cols, P::depth(), P::residents, rate, ends, shares};
}
template <class... P>
constexpr auto plans_of(const std::array<const char*, sizeof...(P)>& names,
                        const std::array<double, sizeof...(P)>& ends, const std::array<double, sizeof...(P)>& rates) {
  int n = 0, e = 0, r = 0;
  return std::array<tile::product_plan, sizeof...(P)>{plan_of<P>(names[n++], rates[r++], ends[e++])...};
}
template <class P>
bool serves(const tile::product_plan& plan) {
  return plan.rows == P::rows && plan.cols == P::cols && plan.depth == P::depth() && plan.residents == P::residents;
}

/// The FP64 tensor cores of sm_90 were measured to follow the canon, and only code compiled for them can use them.
#ifdef KOKKOS_ARCH_HOPPER
inline constexpr bool compiled_for_hopper = true;
#else
inline constexpr bool compiled_for_hopper = false;
#endif

/// How a gemv team of `rows` outputs stages A: bytes of a line in a stage, stages, loading
/// warps, teams a multiprocessor. From measurements on an H200.
struct ring_of_lines {
  int bytes, stages, loaders, residents;
};
constexpr ring_of_lines ring_shape(along a, bool wide, int rows, bool whole) {
  if (whole) return {512, 5, 4, 1};
  if (rows == 128) return {128, 3, 4, 3};
  if (rows == 64) {
    if (a == along::outer) return wide ? ring_of_lines{256, 2, 4, 6} : ring_of_lines{128, 4, 4, 4};
    return {128, 3, 2, 6};
  }
  if (a == along::outer) {
    if (rows == 32) return wide ? ring_of_lines{512, 3, 4, 4} : ring_of_lines{256, 4, 8, 4};
    return wide ? ring_of_lines{1024, 5, 4, 2} : ring_of_lines{512, 4, 4, 4};
  }
  if (rows == 32) return ring_of_lines{512, 3, wide ? 2 : 4, 4};
  return wide ? ring_of_lines{1024, 3, 4, 4} : ring_of_lines{512, 4, 4, 4};
}

struct backend {
  using execution_space = Kokkos::Cuda;
  using policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  using member = policy::member_type;
  using workspace = cuda::workspace;

  // The primitives in use. How operands lie in memory (A, B, Width) changes their code, not their shape.
  template <along A, along B, int Width>
  using float_huge = simt_product<float, 4, 2, 2, 4, 16, 1, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_large = simt_product<float, 2, 2, 2, 4, 8, 2, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_deep = simt_product<float, 2, 2, 2, 4, 16, 2, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_medium = simt_product<float, 2, 2, 2, 2, 16, 3, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_tall = simt_product<float, 1, 4, 2, 2, 16, 3, A, B, Width, member>;
  template <along A, along B, int Width>
  using float_small = simt_product<float, 1, 2, 2, 2, 16, 4, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_large = mma_product<4, 2, 2, 8, 16, 4, 3, 1, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_quad = mma_product<2, 2, 2, 4, 16, 4, 3, 4, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_medium = mma_product<4, 2, 2, 4, 16, B == along::outer ? 4 : 8, 4, 1, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_small = mma_product<2, 2, 2, 4, 16, 8, 4, 2, A, B, Width, member>;
  template <along A, along B, int Width>
  using double_anywhere = simt_product<double, 1, 2, 2, 2, 8, 1, A, B, Width, member>;
  template <class T, along A, bool Wide, int Rows, bool Whole = false,
            ring_of_lines Shape = ring_shape(A, Wide, Rows, Whole)>
  using ring_tile = vector_product<T, A, Wide, Rows, Shape.bytes / int(sizeof(T)), Shape.stages, Shape.loaders,
                                   Shape.residents, lane_chain, member>;
  template <along A>
  using tensor_tile = vector_product<double, A, true, 16, A == along::outer ? 128 : 64, A == along::outer ? 3 : 6, 2, 1,
                                     tensor_chain, member>;
  template <class T, int Width, int Stages>
  using dot_blocks = dot<T, Width, 16, 512 / sizeof(T), Stages, 4, 2, member>;
  template <class T>
  using column_tile = column_product<T, 16 / sizeof(T), 2048 / sizeof(T), sizeof(T) == 4 ? 16 : 8, member>;

  // The tables of plans, measured on an H200. The first rows are for operands that are copied 16 bytes at a time, the
  // very first for double also for one block of the canon only: four teams a multiprocessor, which start and store while
  // others multiply, have no room for their totals. The last one for double is for GPUs without FP64 tensor cores that
  // keep the canon.
  static constexpr along any = along::outer;
  static constexpr int float_wide_plans = 3, double_wide_plans = 2, double_tensor_plans = 4;
  // Rates depend on how operands lie: one along its terms passes through registers, and the shorter that side of the
  // tile, the better.
  static constexpr auto float_table(const std::array<double, 6>& rates) {
    return plans_of<float_huge<any, any, 1>, float_deep<any, any, 1>, float_large<any, any, 1>,
                    float_medium<any, any, 1>, float_tall<any, any, 1>, float_small<any, any, 1>>(
        {"256x128x16", "128x128x16", "128x128x8", "128x64x16", "64x128x16", "64x64x16"}, {50, 48, 44, 33, 33, 60},
        rates);
  }
  static constexpr auto double_table = [] {
    auto all = plans_of<double_quad<any, any, 1>, double_large<any, any, 1>, double_medium<any, any, 1>,
                        double_small<any, any, 1>, double_anywhere<any, any, 1>>(
        {"64x64x16 on tensor cores, four teams", "128x128x16 on tensor cores", "128x64x16 on tensor cores",
         "64x64x16 on tensor cores", "64x64x8"},
        {30, 48, 70, 100, 60}, {0.93, 1, 0.94, 0.94, 0.5});
    all.front().least = all.front().residents;
    return all;
  }();
  /// Of a gemv. Teams that sweep along rows end at the same time, and the memory is idle then: many short ones cost it
  /// less than few long ones.
  template <class T, along A, bool Wide, int Rows>
  static constexpr tile::product_plan rows_plan = plan_of<ring_tile<T, A, Wide, Rows>>(Rows == 16   ? "16 rows"
                                                                                       : Rows == 32 ? "32 rows"
                                                                                       : Rows == 64 ? "64 rows"
                                                                                                    : "128 rows",
                                                                                       Rows == 16 ? 0.8 : 1.0, 60,
                                                                                       A == along::terms ? 8 : 1);
  template <class T, along A>
  static constexpr tile::product_plan whole_plan = plan_of<ring_tile<T, A, true, 32, true>>("32 rows, all terms", 0.9,
                                                                                            60, 0);
  template <along A>
  static constexpr tile::product_plan tensor_plan = plan_of<tensor_tile<A>>("16 rows on tensor cores", 0.9);
  template <class T>
  static constexpr tile::product_plan column_plan = plan_of<column_tile<T>>("columns in registers", 1.0);
  template <class T, along A>
  static constexpr std::array<tile::product_plan, 3> narrow_table{
      rows_plan<T, A, false, 64>, rows_plan<T, A, false, 32>, rows_plan<T, A, false, 16>};
  // In double first the one that wants tensor cores.
  template <class T, along A, std::size_t Others>
  static constexpr auto with_tensor_plan(const std::array<tile::product_plan, Others>& others) {
    if constexpr (std::is_same_v<T, float>) {
      return others;
    } else {
      std::array<tile::product_plan, Others + 1> all{tensor_plan<A>};
      std::copy(others.begin(), others.end(), all.begin() + 1);
      return all;
    }
  }
  template <class T>
  static constexpr auto terms_table = with_tensor_plan<T, along::terms>(std::array{
      rows_plan<T, along::terms, true, 64>, rows_plan<T, along::terms, true, 32>, rows_plan<T, along::terms, true, 16>,
      whole_plan<T, along::terms>});
  template <class T>
  static constexpr auto outer_table = with_tensor_plan<T, along::outer>(std::array{
      rows_plan<T, along::outer, true, 128>, rows_plan<T, along::outer, true, 64>, rows_plan<T, along::outer, true, 32>,
      rows_plan<T, along::outer, true, 16>, whole_plan<T, along::outer>, column_plan<T>});

  static backends::machine machine(const Kokkos::Cuda& exec) {
    const cudaDeviceProp& device = exec.cuda_device_prop();
    constexpr double launch = 850000;  // 4 us on an H200
    return {device.multiProcessorCount, device.sharedMemPerBlockOptin - collective_bytes, launch};
  }

  template <class T>
  static std::span<const tile::product_plan> matrix_plans(const Kokkos::Cuda& exec, const tile::product<T>& problem) {
    const bool by_chunks = wide(problem);
    if constexpr (std::is_same_v<T, float>) {
      static constexpr std::array<tile::product_plan, 6> tables[2][2] = {
          // [A along terms][B along terms]
          {float_table({0.99, 1, 0.99, 0.98, 0.98, 0.9}), float_table({1.02, 0.95, 0.955, 1, 0.965, 0.9})},
          {float_table({0.91, 0.95, 0.96, 0.955, 1, 0.9}), float_table({0.97, 0.87, 1, 0.92, 0.91, 0.85})}};
      const auto& table =
          tables[direction(problem.a) == along::terms][direction(problem.b.transposed()) == along::terms];
      return std::span<const tile::product_plan>(table).subspan(by_chunks ? 0 : float_wide_plans);
    } else {
      const bool one_block = tile::canon_blocks(problem.terms()) <= 1;
      const int left_out = !has_tensor_cores(exec) ? double_tensor_plans
                           : !by_chunks            ? double_wide_plans
                           : one_block             ? 0
                                                   : 1;
      return std::span<const tile::product_plan>(double_table).subspan(left_out);
    }
  }
  template <class T>
  static std::span<const tile::product_plan> vector_plans(const Kokkos::Cuda& exec, const tile::product<T>& problem) {
    const vector_access access = access_of(problem);
    const bool outer = access.direction == along::outer;
    using table = std::span<const tile::product_plan>;
    if (!access.wide) return outer ? narrow_table<T, along::outer> : narrow_table<T, along::terms>;
    const int left_out = std::is_same_v<T, double> && !has_tensor_cores(exec);
    return (outer ? table(outer_table<T>) : table(terms_table<T>)).subspan(left_out);
  }
  /// Which of them a product takes depends on more than its extents.
  template <class T>
  static std::optional<tile::product_plan> fitted_vector_plan(const Kokkos::Cuda& exec,
                                                              const tile::product<T>& problem) {
    const vector_access access = access_of(problem);
    const bool outer = access.direction == along::outer;
    const auto rows = [&]<int Rows>(std::integral_constant<int, Rows>) -> const tile::product_plan& {
      if (outer) return access.wide ? rows_plan<T, along::outer, true, Rows> : rows_plan<T, along::outer, false, Rows>;
      return access.wide ? rows_plan<T, along::terms, true, Rows> : rows_plan<T, along::terms, false, Rows>;
    };
    const auto& rows_16 = rows(std::integral_constant<int, 16>());
    const auto& rows_32 = rows(std::integral_constant<int, 32>());
    const auto& rows_64 = rows(std::integral_constant<int, 64>());
    const index_t outputs = problem.c.rows, terms = problem.terms(), blocks = tile::canon_blocks(terms);
    const index_t processors = exec.cuda_device_prop().multiProcessorCount;
    const auto teams = [&](index_t rows) { return tile::ceil_div<index_t>(outputs, rows) * blocks; };
    const bool few = teams(32) < processors;
    // Blocks that are joined in another team come late: not where a team a processor reads all that is at hand.
    const index_t tiles = tile::ceil_div<index_t>(outputs, 32);
    const bool by_one = access.wide && blocks > 1 && blocks <= 4 && tiles <= processors && 10 * tiles >= 7 * processors;
    // What a chain takes is then the time. On tensor cores: one team a tile, or one for each of two blocks, since their
    // plan is for no more teams at once than processors.
    if constexpr (std::is_same_v<T, double>)
      if (access.wide && (by_one || (few && blocks <= 2)) && has_tensor_cores(exec))
        return outer ? tensor_plan<along::outer> : tensor_plan<along::terms>;
    if (few) return rows_16;
    if (by_one) return outer ? whole_plan<T, along::outer> : whole_plan<T, along::terms>;
    const bool short_chains = terms <= 256 && teams(64) >= 4 * processors;
    if (!outer) return short_chains && terms <= 128 ? rows_64 : rows_32;
    if (!access.wide) return teams(64) < processors ? rows_32 : rows_64;
    if (short_chains) return column_plan<T>;
    constexpr const tile::product_plan& rows_128 = rows_plan<T, along::outer, true, 128>;
    if (outputs > 32 && outputs <= 128) return outputs > 64 ? rows_128 : rows_64;  // all of them in one team
    // With enough teams for registers to hold the bytes in flight; doubles in long chains go better through scratch.
    if (sizeof(T) == 4 && 2 * (outputs / column_plan<T>.rows * blocks) >= 3 * processors) return column_plan<T>;
    return 2 * teams(128) >= 3 * processors ? rows_128 : rows_32;
  }

  /// Operands that do not lie on 16 bytes are copied element by element, stage by stage: a tenth of the time and more.
  /// In a large product that is longer than it takes to copy them once to where they do.
  struct operands {
    bool a, b;
  };
  template <class T>
  static operands worth_copying(const tile::product<T>& problem) {
    const operands copied{gains_by_copy(problem.a), gains_by_copy(problem.b.transposed())};
    const double m = problem.c.rows, n = problem.c.cols, k = problem.terms();
    constexpr double of_one = 125 * sizeof(T), of_launches = 2e9;  // in multiply-adds, from the H200's rates
    const bool gains = m * n * k > of_one * (copied.a * m * k + copied.b * k * n) + of_launches;
    return {copied.a && gains, copied.b && gains};
  }

  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    const bool several_blocks = tile::canon_blocks(problem.terms()) > 1;
    const auto found = [&]<class P>(std::type_identity<P> primitives) {
      visit(primitives, typename P::parameters{several_blocks});
    };
    with_access(problem, [&]<along A, along B, int Width>() {
      if constexpr (std::is_same_v<T, float> && Width > 1)
        first_that_serves<float_huge<A, B, Width>, float_deep<A, B, Width>, float_large<A, B, Width>,
                          float_medium<A, B, Width>, float_tall<A, B, Width>, float_small<A, B, Width>>(plan, found);
      else if constexpr (std::is_same_v<T, float>)
        first_that_serves<float_medium<A, B, Width>, float_tall<A, B, Width>, float_small<A, B, Width>>(plan, found);
      else if constexpr (Width > 1)
        first_that_serves<double_quad<A, B, Width>, double_large<A, B, Width>, double_medium<A, B, Width>,
                          double_small<A, B, Width>, double_anywhere<A, B, Width>>(plan, found);
      else
        first_that_serves<double_medium<A, B, Width>, double_small<A, B, Width>, double_anywhere<A, B, Width>>(plan,
                                                                                                               found);
    });
  }

  template <class T, class Visit>
  static void with_vector_product(const tile::product<T>& problem, const tile::product_plan& plan, Visit&& visit) {
    const vector_access access = access_of(problem);
    const auto with_ring = [&]<along A, bool Wide, int... Rows>(std::integer_sequence<int, Rows...>) {
      if constexpr (Wide && std::is_same_v<T, double>)
        if (serves<tensor_tile<A>>(plan)) return hand<tensor_tile<A>>(visit), true;
      if constexpr (Wide)
        if (plan.shares == 0) return hand<ring_tile<T, A, true, 32, true>>(visit), true;
      return ((plan.rows == Rows && (hand<ring_tile<T, A, Wide, Rows>>(visit), true)) || ...);
    };
    const auto with_any = [&] {
      using three = std::integer_sequence<int, 64, 32, 16>;
      using four = std::integer_sequence<int, 128, 64, 32, 16>;
      const bool outer = access.direction == along::outer;
      if (!access.wide)
        return outer ? with_ring.template operator()<along::outer, false>(three())
                     : with_ring.template operator()<along::terms, false>(three());
      if (!outer) return with_ring.template operator()<along::terms, true>(three());
      return with_ring.template operator()<along::outer, true>(four()) ||
             (plan.rows == column_tile<T>::rows && (hand<column_tile<T>>(visit), true));
    };
    if (!with_any()) refuse(plan);
  }

  /// Five stages where a team can have that much scratch, else three.
  template <class T, class Visit>
  static void with_dot(const tile::dot<T>& problem, std::size_t team_scratch, Visit&& visit) {
    const bool wide =
        wide_access(problem.x.data, problem.x.stride, 0) && wide_access(problem.y.data, problem.y.stride, 0);
    const auto with_width = [&]<int Width>() {
      using deep = dot_blocks<T, Width, 5>;
      deep::most_scratch <= team_scratch ? hand<deep>(visit) : hand<dot_blocks<T, Width, 3>>(visit);
    };
    wide ? with_width.template operator()<16 / sizeof(T)>() : with_width.template operator()<1>();
  }
  template <class T, class Visit>
  static void with_transpose(const tile::transpose<T>& problem, Visit&& visit) {
    const tile::matrix<const T>& from = problem.from;
    const tile::matrix<T>& to = problem.to;
    if (wide_access(from.data, from.row_stride, from.col_stride) && wide_access(to.data, to.col_stride, to.row_stride))
      hand<wide_transpose<T, 64, 64, 256, member>>(visit, past_boundary(from.data), past_boundary(to.data));
    else if (to.col_stride == 1)
      hand<transpose<T, 64, 512 / sizeof(T), 256, true, member>>(visit);
    else
      hand<transpose<T, 64, 512 / sizeof(T), 256, false, member>>(visit);
  }
  template <class T, class Visit>
  static void with_in_place_transpose(const tile::matrix<T>& a, Visit&& visit) {
    constexpr int size = 256 / sizeof(T), threads = 128;
    if (wide_access(a.data, a.row_stride, a.col_stride))
      hand<in_place_transpose<T, wide_transpose<T, size, size, threads, member>, size, member>>(visit,
                                                                                                past_boundary(a.data));
    else
      hand<in_place_transpose<T, transpose<T, size, size, threads, false, member>, size, member>>(visit);
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

  /// found(the one of P whose plan it is).
  template <class... P, class Found>
  static void first_that_serves(const tile::product_plan& plan, const Found& found) {
    if (!((serves<P>(plan) && (found(std::type_identity<P>{}), true)) || ...)) refuse(plan);
  }

  template <class P, class Functor>
  static void launch(const char* label, const Kokkos::Cuda& exec, int teams, std::size_t scratch,
                     const Functor& functor) {
    launch_teams<P::team_size, P::residents, P::most_scratch>(label, exec, teams, scratch, functor);
  }

 private:
  // FP64 tensor cores that keep the canon, and code that uses them.
  static bool has_tensor_cores(const Kokkos::Cuda& exec) {
    return compiled_for_hopper && exec.cuda_device_prop().major == 9;
  }

  [[noreturn]] static void refuse(const tile::product_plan& plan) {
    throw std::logic_error(std::string("abax: the plan ") + plan.name + " does not serve this product");
  }
  template <class P, class Visit, class... Values>
  static void hand(Visit& visit, Values... values) {
    visit(std::type_identity<P>{}, typename P::parameters{values...});
  }

  /// How a gemv reads A, and x beside it.
  struct vector_access {
    along direction;
    bool wide;
  };
  template <class T>
  static vector_access access_of(const tile::product<T>& problem) {
    const tile::matrix<const T>& a = problem.a;
    const tile::matrix<const T>& x = problem.b;
    const bool wide_x = wide_access(x.data, x.row_stride, 0);
    if (a.row_stride == 1 || a.col_stride != 1)
      return {along::outer, wide_x && wide_access(a.data, a.row_stride, a.col_stride)};
    return {along::terms, wide_x && wide_access(a.data, a.col_stride, a.row_stride)};
  }

  template <class T>
  static along direction(const tile::matrix<const T>& m) {
    return m.row_stride != 1 && m.col_stride == 1 ? along::terms : along::outer;
  }

  /// What a gemm copies 16 bytes at a time: one contiguous index, chunks on 16 bytes, strides that 32 bits can count.
  /// `padded`: a chunk may reach beyond the end of a line; if not, the tensor cores' primitives, which never copy a part of
  /// one, need lines of whole chunks.
  template <class T>
  static bool wide(const tile::matrix<const T>& m, bool padded) {
    const auto near = [](index_t stride) { return -near_stride < stride && stride < near_stride; };
    const bool outer = direction(m) == along::outer;
    if (compiled_for_hopper && std::is_same_v<T, double> && !padded && (outer ? m.rows : m.cols) % 2 != 0) return false;
    return outer ? near(m.col_stride) && wide_access(m.data, m.row_stride, m.col_stride)
                 : near(m.row_stride) && wide_access(m.data, m.col_stride, m.row_stride);
  }
  template <class T>
  static bool wide(const tile::product<T>& problem) {
    return wide(problem.a, problem.a_padded) && wide(problem.b.transposed(), problem.b_padded);
  }
  /// What would be such an operand if its lines, which a copy puts side by side, began on multiples of 128 bytes.
  template <class T>
  static bool gains_by_copy(const tile::matrix<const T>& m) {
    return !wide(m, false) && (direction(m) == along::outer ? m.rows : m.cols) < near_stride - 128;
  }

  // Calls found<A, B, Width>() for the way both operands lie in memory. One that is not wide() takes both to element-wise
  // copies.
  template <class T, class Found>
  static void with_access(const tile::product<T>& problem, const Found& found) {
    const auto with_width = [&]<int Width>() {
      const bool a_outer = direction(problem.a) == along::outer;
      const bool b_outer = direction(problem.b.transposed()) == along::outer;
      if (a_outer && b_outer)
        found.template operator()<along::outer, along::outer, Width>();
      else if (a_outer)
        found.template operator()<along::outer, along::terms, Width>();
      else if (b_outer)
        found.template operator()<along::terms, along::outer, Width>();
      else
        found.template operator()<along::terms, along::terms, Width>();
    };
    wide(problem) ? with_width.template operator()<16 / sizeof(T)>() : with_width.template operator()<1>();
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
