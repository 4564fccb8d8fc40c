// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Kernels that tests run by one team, for operands of any type: each calls one function of <abax/team.hpp>.
#include <Kokkos_Core.hpp>
#include <abax/serial.hpp>
#include <abax/team.hpp>
#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "operands.hpp"
#include "spaces.hpp"

namespace abax::tests {

template <class Exec>
constexpr bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// visit(exec, team size, vector length) on every space: the sizes are a GPU's. Threads of a host team are cores.
template <class Visit>
void for_each_team(std::initializer_list<int> sizes, const Visit& visit) {
  for_each_space([&](const auto& exec) {
    visit(exec, 1, 1);
    if constexpr (!on_host<std::decay_t<decltype(exec)>>) {
      for (const int size : sizes) visit(exec, size, 1);
      visit(exec, 24, 4);
    }
  });
#ifdef KOKKOS_ENABLE_OPENMP
  visit(Kokkos::OpenMP(3), 3, 1);
#endif
}

/// One team runs `kernel`.
template <class Exec, class Kernel>
void run_team(const Exec& exec, int size, int vector, std::size_t scratch, const Kernel& kernel) {
  Kokkos::TeamPolicy<Exec> policy(exec, 1, size, vector);
  Kokkos::parallel_for("in_kernel", policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch))), kernel);
  exec.fence();
}

struct extents {
  index_t m, n, k;
};

using left = Kokkos::LayoutLeft;
using right = Kokkos::LayoutRight;
using stride = Kokkos::LayoutStride;
inline constexpr placement aligned_left{layout::left, 0, 0}, odd_left{layout::left, 3, 1},
    aligned_right{layout::right, 0, 0}, odd_right{layout::right, 2, 3}, steps{layout::stride, 1, 2, 2};

template <char OpA, char OpB, class T, class A, class B, class C>
struct team_gemm {
  T alpha, beta;
  A a;
  B b;
  C c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    team::gemm<OpA, OpB>(member, alpha, a, b, beta, c);
  }
};

template <char OpA, char OpB, class T, class A, class B, class C>
struct serial_gemm {
  T alpha, beta;
  A a;
  B b;
  C c;
  KOKKOS_FUNCTION void operator()(int) const { serial::gemm<OpA, OpB>(alpha, a, b, beta, c); }
};

/// A product by register tiles, whatever the space has beside them.
template <char OpA, char OpB, class T, class A, class B, class C>
struct register_gemm {
  T alpha, beta;
  A a;
  B b;
  C c;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using machine = portable::in_kernel;
    team::product_in_kernel<machine>(member, team::op_of<OpA>(team::operand_of<machine>(a)),
                                     team::op_of<OpB>(team::operand_of<machine>(b)).transposed(),
                                     team::operand_of<machine>(c),
                                     tile::epilogue<tile::own_t<T>>{tile::own(alpha), tile::own(beta)});
  }
};

/// The register tiles of machines with banks, on any space: operands that lie by `layout` in plain memory.
template <class T, tile::scratch_layout LayoutA, tile::scratch_layout LayoutB, class Global>
struct banked_gemm {
  using own = tile::own_t<T>;
  T alpha, beta;
  Global a, b, c;
  T *as, *bs;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using machine = portable::in_kernel;
    const tile::operand<own, tile::laid_out<LayoutA>, LayoutA.rows, LayoutA.cols> at{tile::own_elements(as), {}, 0, 0};
    const tile::operand<own, tile::laid_out<LayoutB>, LayoutB.rows, LayoutB.cols> bt{tile::own_elements(bs), {}, 0, 0};
    team::copy_in_kernel<team::plain_move>(member, team::operand_of<machine>(a), at);
    team::copy_in_kernel<team::plain_move>(member, team::operand_of<machine>(b), bt);
    member.team_barrier();
    const auto full = team::operand_of<machine>(c);
    const tile::operand<own, decltype(full.place), LayoutA.rows, LayoutB.cols> ct{full.data, full.place, 0, 0};
    team::product_in_kernel<machine>(member, at, bt.transposed(), ct,
                                     tile::epilogue<own>{tile::own(alpha), tile::own(beta)});
  }
};

template <char Op, class T, class A, class X, class Y>
struct team_gemv {
  T alpha, beta;
  A a;
  X x;
  Y y;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    team::gemv<Op>(member, alpha, a, x, beta, y);
  }
};

enum class moves { copy, transpose, conjugate_transpose };

template <moves Move, class A, class B>
struct team_move {
  A a;
  B b;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    if constexpr (Move == moves::copy)
      team::copy(member, a, b);
    else if constexpr (Move == moves::transpose)
      team::transpose(member, a, b);
    else
      team::conjugate_transpose(member, a, b);
  }
};

/// What register sums ask of a team's member.
struct thread_number {
  int rank;
  KOKKOS_FUNCTION int team_rank() const { return rank; }
};

}  // namespace abax::tests
