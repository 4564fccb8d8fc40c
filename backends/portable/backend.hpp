// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// The fallback backend: any Kokkos execution space, plain team policies, level-0 scratch within 32 KB.
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "backends/portable/dot.hpp"
#include "backends/portable/gradual_underflow.hpp"
#include "backends/portable/product.hpp"
#include "backends/portable/stream.hpp"
#include "backends/portable/transpose.hpp"
#include "backends/primitives.hpp"

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
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using workspace = portable::workspace<Exec>;

  static constexpr std::array<tile::product_plan, 2> matrix_table{
      {{"32x32x16", 32, 32, 16, 1, 1.0}, {"16x16x16", 16, 16, 16, 1, 0.7}}};
  static constexpr std::array<tile::product_plan, 1> vector_table{{{"64x1x32", 64, 1, 32, 1, 1.0}}};

  static backends::machine machine(const Exec& exec) {
    using policy = Kokkos::TeamPolicy<Exec>;
    return {exec.concurrency(), static_cast<std::size_t>(policy::scratch_size_max(0))};
  }

  template <class T>
  static std::span<const tile::product_plan> matrix_plans(const Exec&, const tile::product<T>&) {
    return matrix_table;
  }
  template <class T>
  static std::span<const tile::product_plan> vector_plans(const Exec&, const tile::product<T>&) {
    return vector_table;
  }
  template <class T, class Visit>
  static void with_matrix_product(const tile::product<T>&, const tile::product_plan& plan, Visit&& visit) {
    visit(std::type_identity<product<T, member>>{}, plan);
  }
  template <class T, class Visit>
  static void with_vector_product(const tile::product<T>&, const tile::product_plan& plan, Visit&& visit) {
    visit(std::type_identity<product<T, member>>{}, plan);
  }
  template <class T, class Visit>
  static void with_dot(const tile::dot<T>&, std::size_t, Visit&& visit) {
    visit(std::type_identity<dot<T, member>>{}, typename dot<T, member>::parameters{});
  }
  template <class T, class Visit>
  static void with_transpose(const tile::transpose<T>&, Visit&& visit) {
    visit(std::type_identity<transpose<T, member>>{}, typename transpose<T, member>::parameters{});
  }
  template <class T, class Visit>
  static void with_in_place_transpose(const tile::matrix<T>&, Visit&& visit) {
    using primitives = in_place_transpose<T, member>;
    visit(std::type_identity<primitives>{}, typename primitives::parameters{});
  }
  template <class Kernel, class Visit>
  static void with_stream(const Kernel&, Visit&& visit) {
    visit(std::type_identity<stream<member>>{}, typename stream<member>::parameters{});
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

}  // namespace abax::portable
