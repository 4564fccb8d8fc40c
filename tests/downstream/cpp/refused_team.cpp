// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in kernels that do not compile. Behind each stands the sentence that is the compiler's one error for it.
#include <Kokkos_Core.hpp>
#include <abax/serial.hpp>
#include <abax/team.hpp>

// clang-format off

using member = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>::member_type;
template <int Rows, int Cols>
using known = Kokkos::View<double[Rows][Cols], Kokkos::HostSpace>;
using matrix = Kokkos::View<double**, Kokkos::HostSpace>;
using constant = Kokkos::View<const double**, Kokkos::HostSpace>;
using single = Kokkos::View<float**, Kokkos::HostSpace>;
using abax::access;

void calls(const member& team, matrix A, constant K, single F, known<3, 4> B, known<4, 5> C, known<3, 5> D) {
  abax::team::gemm<'N', 'N'>(team, 1, B, B, 0, A);  // abax::team::gemm: op(A) has not as many columns as op(B) has rows
  abax::team::gemm<'T', 'N'>(team, 1, B, A, 0, D);  // abax::team::gemm: op(A) and C have different numbers of rows
  abax::team::gemm<'N', 'N'>(team, 1, B, C, 0, B);  // abax::team::gemm: op(B) and C have different numbers of columns
  abax::team::gemm<'N', 'X'>(team, 1, A, A, 0, A);  // abax::team::gemm: op is 'N', 'T' or 'C'
  abax::team::gemm(team, 1, A, A, 0, K);            // abax::team::gemm: C must not be const
  abax::team::copy(team, A, F);                     // abax::team::copy: two matrices or two vectors of the same type
  abax::team::transpose(team, B, C);                // abax::team: what is copied has not the extents of
  abax::serial::gemm(1, B, B, 0, A);                // abax::serial::gemm: the extents of op(A), op(B) and C disagree
}

// Sums that grow by stages.
using left = abax::scratch_tile<double, 32, 16>;
using right = abax::scratch_tile<double, 16, 32>;
using other = abax::scratch_tile<float, 32, 16>;
using sums = abax::team::sums<member, left, right, 64>;
void grow(sums& all, left A, right B, other F, matrix C, constant K, single G, known<33, 32> D) {
  all.add(F, B);       // abax::team::sums: A and B must be tiles of the types that the sums were made for, or parts of
  all.store(1, 0, G);  // abax::team::sums: C must hold the type of A and B
  all.store(1, 0, K);  // abax::team::sums: C must not be const
  all.store(1, 0, D);  // abax::team::sums: C has more rows or columns than the sums
  all.add(A, B);
  all.store(1, 0, C);
}
using unequal = abax::team::sums<member, left, left, 64>;
const auto of_unequal = sizeof(unequal);  // abax::team::sums: A's tile has not as many columns as B's tile has rows

// Every fourth bank at most holds an element of a column whose rows are moved by 16 bytes.
using none = abax::scratch_tile<float, 32, 32, access::copy_rows, access::read_columns>;
const int size = none::shmem_size();  // abax::scratch_tile: no layout is free of bank conflicts
