// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The CUDA backend: a team is a thread block, scratch is shared memory.
#include <Kokkos_Core.hpp>

#include "abax/detail/backends/cuda/batch_rows.hpp"
#include "abax/detail/backends/cuda/complex_rows.hpp"
#include "abax/detail/backends/cuda/gemm_rows.hpp"
#include "abax/detail/backends/cuda/gemv_rows.hpp"
#include "abax/detail/backends/cuda/integer_rows.hpp"
#include "abax/detail/backends/cuda/rows.hpp"
#include "abax/detail/backends/cuda/workspace.hpp"
#include "abax/detail/backends/cuda/zeros.hpp"

namespace abax::cuda {

/// Teams that reach each other's scratch: those whose primitives ask for more than themselves.
template <class Primitives>
inline constexpr int cluster_of = 1;
template <class Primitives>
requires(Primitives::cluster > 1) inline constexpr int cluster_of<Primitives> = Primitives::cluster;

struct backend {
  using execution_space = Kokkos::Cuda;
  using instance = execution_space;
  using member = cuda::member;
  using workspace = cuda::workspace;

  using machine_type = cuda::machine;
  static machine_type machine(const Kokkos::Cuda& exec) { return machine_type(exec.cuda_device_prop()); }

  static constexpr bool keeps_to_triangles = false;
  template <class T>
  using matrix_rows = rows_by_type<T, cuda::matrix_rows<T>, complex_matrix_rows<T>>;
  template <class T>
  using vector_rows = rows_by_type<T, cuda::vector_rows<T>, complex_vector_rows<T>>;
  template <class T>
  using batch_rows = rows_by_type<T, cuda::batch_rows<T>, complex_batch_rows<T>>;
  static constexpr bool runs_items = false;
  template <class T>
  using batched_matrix_rows = rows_by_type<T, cuda::batched_matrix_rows<T>, complex_matrix_rows<T, true>>;
  template <class T>
  using batched_vector_rows = rows_by_type<T, cuda::batched_vector_rows<T>, complex_vector_rows<T>>;
  template <class Kernel>
  using reduction_rows = cuda::reduction_rows<Kernel>;
  template <class Kernel>
  using immediate_reductions = backends::rows<>;
  template <class T>
  using immediate_scaling = backends::rows<zeros<T>>;
  template <class T>
  using transpose_rows = cuda::transpose_rows<T>;
  template <class T>
  using immediate_transposes = backends::rows<>;
  template <class T>
  using in_place_transpose_rows = cuda::in_place_transpose_rows<T>;
  template <class Kernel>
  using stream_rows = cuda::stream_rows<Kernel>;
  template <class Kernel>
  using immediate_streams = backends::rows<>;

  template <class T>
  using integer_line_rows = cuda::integer_line_rows<T>;
  using residue_product_rows = cuda::residue_product_rows;
  /// C is not cut for a cache: launches that leave processors idle at their ends cost more than memory does.
  static tile::byte_engine byte_engine(const machine_type& m) {
    if (m.byte_tensor_cores) return {tile::plane_order::blocks, byte_tile, false};
    return {tile::plane_order::lines, portable::residue_product<member>::shape, false};
  }
  using integer_workspace = cuda::integer_workspace;

  template <class P, class Functor>
  static void launch(const char* label, const Kokkos::Cuda& exec, int teams, std::size_t scratch,
                     const Functor& functor) {
    launch_teams<P::team_size, P::residents, cluster_of<P>>(label, exec, teams, scratch, functor);
  }
};

static_assert(backends::backend<backend>);

}  // namespace abax::cuda
