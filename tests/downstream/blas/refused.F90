! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What a compiler refuses: -DREFUSE=number chooses a line. Without one it compiles.
program refused
  use abax
  implicit none
  integer :: number = 3
  real(kind(1d0)) :: A(3, 3), B(3, 3), C(3, 3), x(3)
  real :: F(3, 3)
  complex(kind(1d0)) :: Z(3, 3)
  type(abax_integer_operand) :: left
  call random_number(A)
  call random_number(B)
#if REFUSE == 1
  call abax_gemm(A, x, C) ! a vector for a matrix
#elif REFUSE == 2
  call abax_gemm(A, F, C) ! two kinds
#elif REFUSE == 3
  call abax_gemm(A, B, C, alpha=2.0) ! alpha of another kind
#elif REFUSE == 4
  call abax_gemm(A, B, C(:, [3, 1, 2])) ! a result that cannot be defined
#elif REFUSE == 5
  x(1) = abax_dot(A, B) ! matrices for vectors
#elif REFUSE == 6
  call abax_increment(1, number) ! integers
#elif REFUSE == 7
  call abax_herk(A, C) ! real matrices
#elif REFUSE == 8
  call abax_gemm(Z, Z, Z, alpha=2d0) ! a real alpha for complex matrices
#elif REFUSE == 9
  call abax_gemm_integer(Z, A, Z) ! a real matrix for a complex one, by way of integers
#elif REFUSE == 10
  call abax_gemm_integer(A, B, left) ! an operand that is prepared as the result
#else
  call abax_gemm(A, B, C)
#endif
  x = 0
  F = 0
  Z = 0
  call abax_free_integer_operand(left)
  print *, C(1, 1) + x(1) + F(1, 1) + real(Z(1, 1)) + number
end program
