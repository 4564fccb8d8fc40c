// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The OpenMP backend: a team is one thread, scratch is its core's cache.
#include <Kokkos_Core.hpp>
#include <cstddef>

#include "abax/detail/backends/openmp/complex_rows.hpp"
#include "abax/detail/backends/openmp/integer.hpp"
#include "abax/detail/backends/openmp/interleaved_batch.hpp"

namespace abax::openmp {

struct backend {
  using execution_space = Kokkos::OpenMP;
  using instance = openmp::instance;
  using member = openmp::member;
  using workspace = openmp::workspace;

  using machine_type = openmp::machine;
  static machine_type machine(const instance& exec) { return {exec.threads(), kernels<float>(), kernels<double>()}; }

  static constexpr bool keeps_to_triangles = true;
  template <class T>
  using matrix_rows = openmp::matrix_rows<T>;
  template <class T>
  using vector_rows = openmp::vector_rows<T>;
  template <class T>
  using batch_rows = std::conditional_t<tile::is_complex<T>, backends::rows<>, openmp::batch_rows<T>>;
  static constexpr bool runs_items = true;
  template <class Work>
  static void each_item(const char* label, const instance& exec, index_t items, double terms, const Work& work) {
    openmp::each_item(label, exec, items, terms, work);
  }
  template <class T>
  using immediate_scaling = backends::rows<small_scaling<T>>;
  template <class Kernel>
  using reduction_rows = backends::rows<simd_reduction<Kernel>>;
  template <class Kernel>
  using immediate_reductions = backends::rows<small_reduction<Kernel>>;
  template <class T>
  using transpose_rows = backends::rows<simd_transpose<T>>;
  template <class T>
  using immediate_transposes = openmp::immediate_transposes<T>;
  template <class T>
  using in_place_transpose_rows = backends::rows<simd_in_place_transpose<T>>;
  template <class Kernel>
  using stream_rows = backends::rows<simd_stream<Kernel>>;
  template <class Kernel>
  using immediate_streams = backends::rows<small_stream<Kernel>>;
  template <class T>
  using integer_line_rows = backends::rows<simd_integer_lines<T>>;
  using residue_product_rows = backends::rows<simd_residue_product>;
  static tile::byte_engine byte_engine(const openmp::machine&) {
    return {tile::plane_order::lines, residue_product<member>::shape, true, 64 << 20};
  }
  using integer_workspace = openmp::integer_workspace;

  template <class P, class Functor>
  static void launch(const char* label, const instance& exec, int teams, std::size_t scratch, const Functor& functor) {
    launch_teams(label, exec, teams, scratch, functor);
  }
};

static_assert(backends::backend<backend>);

}  // namespace abax::openmp
