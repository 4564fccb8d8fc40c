// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The fallback backend: any Kokkos execution space, plain team policies, level-0 scratch within 32 KB.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

#include "abax/detail/backends/portable/gradual_underflow.hpp"
#include "abax/detail/backends/portable/rows.hpp"

namespace abax::portable {

/// Memory for block sums and arrival counters, which are zero at the start. Freed once the instance is done with it: a
/// call that needs one waits for its end, as nothing portable frees memory in the order of an instance.
template <class Exec>
class workspace {
 public:
  workspace(const Exec& exec, std::size_t bytes, index_t counters)
      : exec_(exec),
        bytes_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "abax::workspace"), bytes),
        counters_(Kokkos::view_alloc(exec, "abax::arrivals"), counters) {}
  workspace(const workspace&) = delete;
  ~workspace() { exec_.fence("abax::workspace"); }

  void* sums() const { return bytes_.data(); }
  unsigned* arrivals() const { return counters_.data(); }

 private:
  Exec exec_;
  Kokkos::View<std::byte*, typename Exec::memory_space> bytes_;
  Kokkos::View<unsigned*, typename Exec::memory_space> counters_;
};

template <class Exec>
struct backend {
  using execution_space = Exec;
  using instance = execution_space;
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using workspace = portable::workspace<Exec>;

  static constexpr bool keeps_to_triangles = false;
  template <class T>
  using matrix_rows = portable::matrix_rows<T, member>;
  template <class T>
  using vector_rows = portable::vector_rows<T, member>;
  template <class T>
  using batch_rows = backends::rows<>;
  static constexpr bool runs_items = false;
  template <class T>
  using batched_matrix_rows = matrix_rows<T>;
  template <class T>
  using batched_vector_rows = vector_rows<T>;
  template <class Kernel>
  using reduction_rows = backends::rows<portable_reduction<member>>;
  template <class Kernel>
  using immediate_reductions = backends::rows<>;
  template <class T>
  using immediate_scaling = backends::rows<>;
  template <class T>
  using transpose_rows = backends::rows<portable_transpose<T, member>>;
  template <class T>
  using immediate_transposes = backends::rows<>;
  template <class T>
  using in_place_transpose_rows = backends::rows<only_row<in_place_transpose<T, member>>>;
  template <class Kernel>
  using stream_rows = backends::rows<only_row<stream<member>>>;
  template <class Kernel>
  using immediate_streams = backends::rows<>;
  template <class T>
  using integer_line_rows = backends::rows<only_row<integer_lines<member>>>;
  using residue_product_rows = backends::rows<only_row<residue_product<member>>>;
  static tile::byte_engine byte_engine(const backends::machine&) {
    return {tile::plane_order::lines, residue_product<member>::shape, false, 64 << 20};
  }
  using integer_workspace = workspace;

  using machine_type = backends::machine;
  static backends::machine machine(const Exec& exec) {
    using policy = Kokkos::TeamPolicy<Exec>;
    return {exec.concurrency(), static_cast<std::size_t>(policy::scratch_size_max(0))};
  }

  template <class P, class Functor>
  static void launch(const char* label, const Exec& exec, int teams, std::size_t scratch, const Functor& functor) {
    const auto policy = Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO)
                            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
    if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>)
      Kokkos::parallel_for(label, policy, with_gradual_underflow<Functor>{functor});
    else
      Kokkos::parallel_for(label, policy, functor);
  }
};

static_assert(backends::backend<backend<Kokkos::DefaultExecutionSpace>>);

}  // namespace abax::portable
