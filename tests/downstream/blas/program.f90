! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! C <- A B as Fortran reaches Abax: as its BLAS, and through the module.
program downstream
  use, intrinsic :: iso_c_binding
  use abax
  implicit none
  integer, parameter :: m = 5, n = 7, k = 3
  real(c_double) :: A(m, k), B(k, n), C(m, n), D(m, n), s
  real(c_float) :: x(4), y(4)
  type(c_ptr) :: stream
  real(c_double), external :: ddot
  external :: dgemm

  A = 2
  B = 0.5_c_double
  call dgemm('N', 'N', m, n, k, 10.0_c_double, A, m, B, k, 0.0_c_double, C, m)
  if (any(C /= 30)) error stop 'dgemm is wrong'
  if (ddot(m, A, 1, C, -1) /= 300) error stop 'ddot is wrong'

  if (abax_open(abax_host, c_null_ptr, 0, stream) /= abax_success) error stop 'no stream'
  if (abax_dgemm(stream, 'N', 'N', int(m, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), 10.0_c_double, A, &
                1_c_int64_t, int(m, c_int64_t), B, 1_c_int64_t, int(k, c_int64_t), 0.0_c_double, D, 1_c_int64_t, &
                int(m, c_int64_t)) /= abax_success) error stop 'abax_gemm failed'
  if (any(D /= C)) error stop 'abax_gemm is wrong'
  if (abax_ddot(stream, 4_c_int64_t, A, 1_c_int64_t, B, 1_c_int64_t, s) /= abax_success) error stop 'abax_dot failed'
  if (s /= 4) error stop 'abax_dot is wrong'
  x = [1, 2, 3, 4]
  y = 1
  if (abax_saxpby(stream, 4_c_int64_t, 2.0, x, 1_c_int64_t, 1.0, y, 1_c_int64_t) /= abax_success) error stop 'axpby'
  if (any(y /= [3, 5, 7, 9])) error stop 'abax_axpby is wrong'
  if (abax_ddot(stream, -4_c_int64_t, A, 1_c_int64_t, B, 1_c_int64_t, s) /= abax_invalid_argument) error stop 'no error'
  print '(a)', abax_message(stream)
  call abax_close(stream)
  print '(a)', 'C is right'
end program
