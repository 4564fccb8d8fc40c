! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The module's short calls, of both kinds, real and complex: every form, sections with gaps, reversed ones, empty
! arrays, 1 x 1, errors; and the explicit calls with both kinds of integers. Whole numbers throughout, so that every
! order of summation is exact.
! short: all of it; short ends: a call that fails without stat.
module checks
  use, intrinsic :: iso_c_binding, only: c_double, c_float
  implicit none
  interface expect
    procedure expect_true, expect_message
  end interface
contains
  subroutine expect_true(what, holds)
    character(len=*), intent(in) :: what
    logical, intent(in) :: holds
    if (holds) return
    print '(a)', what//' is wrong'
    error stop
  end subroutine
  subroutine expect_message(what, stat, errmsg, words)
    character(len=*), intent(in) :: what, errmsg, words
    integer, intent(in) :: stat
    call expect_true(what//': '//trim(errmsg), stat == 1 .and. index(errmsg, words) > 0)
  end subroutine
end module

module in_single
  use checks
  implicit none
  integer, parameter :: wp = c_float
contains
  include 'short.inc'
end module

module in_double
  use checks
  implicit none
  integer, parameter :: wp = c_double
contains
  include 'short.inc'
end module

module in_complex_single
  use checks
  implicit none
  integer, parameter :: wp = c_float
contains
  include 'short_complex.inc'
end module

module in_complex_double
  use checks
  implicit none
  integer, parameter :: wp = c_double
contains
  include 'short_complex.inc'
end module

program short
  use, intrinsic :: iso_c_binding
  use abax
  use checks
  use in_single, only: single => all_forms
  use in_double, only: double => all_forms
  use in_complex_single, only: complex_single => all_forms
  use in_complex_double, only: complex_double => all_forms
  implicit none
  integer, parameter :: m = 5, n = 7, k = 3
  integer :: i, stat
  real(c_double), target :: A(m, k), B(k, n), C(m, n)
  real(c_double) :: D(n, m), s
  real(c_float) :: F(m, m), G(m, m)
  complex(c_double), target :: Z(m, k), W(k, n), V(m, n), u
  complex(c_float) :: c2(m, m), d2(m, m)
  complex(c_double), parameter :: i1 = (0, 1)
  integer(c_int8_t) :: bytes(m, k), more_bytes(k, n)
  integer(c_int32_t) :: sums(m, n), these(2*m, n)
  integer(c_int64_t) :: lost
  type(c_ptr) :: left
  type(c_ptr) :: stream
  character(len=8) :: argument
  character(len=200) :: errmsg

  A = 2
  B = 0.5_c_double
  call get_command_argument(1, argument)
  if (argument == 'ends') call abax_gemm(A, A, C)
  call single()
  call double()
  call complex_single()
  call complex_double()

  call expect('the version', abax_version() >= 100)
  call expect('a stream', abax_open(abax_host, c_null_ptr, 0_c_int, stream) == abax_success)
  call abax_gemm(A, B, C, stream=stream)
  call expect('gemm on a stream', all(C == 3))
  call abax_gemm(A, B, C, transB='X', stream=stream, stat=stat, errmsg=errmsg)
  call expect_message('gemm on a stream', stat, errmsg, abax_message(stream))
  call expect('its message', index(errmsg, 'invalid argument') /= 1)
  A = reshape([(real(mod(3*i, 7) - 3, c_double), i=1, m*k)], [m, k])
  B = reshape([(real(mod(5*i, 9) - 4, c_double), i=1, k*n)], [k, n])
  stat = abax_dgemm(stream, 'N', 'N', m, n, k, 10d0, A, 1, m, B, 1, k, -9d0, C, 1, m)
  call expect('gemm with default integers', stat == 0 .and. all(C == 10*matmul(A, B) - 27))
  stat = abax_dgemm(stream, 'T', 'T', n, m, k, 1d0, B, 1, k, A, 1, m, 0d0, D, 1, n)
  call expect('gemm, both transposed', stat == 0 .and. all(D == transpose(matmul(A, B))))
  stat = abax_dgemv(stream, 'T', m, k, 2d0, A, 1, m, C(1, 1), 1, 0d0, D(2, 1), n)
  call expect('gemv into a row', stat == 0 .and. all(D(2, 1:k) == 2*matmul(C(:, 1), A)))
  stat = abax_dgemm_batched(stream, 'N', 'N', 2, m, 1, k, 1d0, A, 0, 1, m, B, k, 1, k, 0d0, C, m, 1, m)
  call expect('gemm_batched', stat == 0 .and. all(C(:, :2) == matmul(A, B(:, :2))))
  C = 0
  stat = abax_dgemm_batched_at(stream, 'N', 'N', 2, m, 1, k, 1d0, [c_loc(A), c_loc(A)], m, &
    [c_loc(B(1, 3)), c_loc(B(1, 2))], k, 0d0, [c_loc(C(1, 1)), c_loc(C(1, 4))], m)
  call expect('gemm_batched_at', stat == 0 .and. all(C(:, 1:4:3) == matmul(A, B(:, 3:2:-1))))
  stat = abax_dgemv_batched(stream, 'T', 2_c_int64_t, 5_c_int64_t, 3_c_int64_t, 1d0, A, 0_c_int64_t, 1_c_int64_t, &
    5_c_int64_t, C, 15_c_int64_t, 1_c_int64_t, 0d0, D, 7_c_int64_t, 2_c_int64_t)
  call expect('gemv_batched', stat == 0 .and. all(D(1:5:2, :2) == matmul(transpose(A), C(:, 1:4:3))))
  C = 1
  stat = abax_dgemm_integer(stream, 'N', 'N', m, n, k, 2d0, A, 1, m, B, 1, k, 3d0, C, 1, m, 0)
  call expect('gemm_integer with default integers', stat == 0 .and. all(C == 2*matmul(A, B) + 3))
  stat = abax_dinteger_operand(stream, 'L', 'N', m, k, A, 1, m, 0, left)
  call expect('integer_operand', stat == 0 .and. c_associated(left))
  stat = abax_dgemm_integer_with(stream, 'N', 'N', int(m, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), 1d0, A, &
    0_c_int64_t, 0_c_int64_t, left, B, 1_c_int64_t, int(k, c_int64_t), c_null_ptr, 0d0, C, 1_c_int64_t, &
    int(m, c_int64_t), 0, 10000000_c_int64_t, abax_verify_products)
  call expect('gemm_integer_with', stat == 0 .and. all(C == matmul(A, B)))
  stat = abax_sgemm_integer_with(stream, 'N', 'N', m, m, k, 1.0, F, 0, 0, left, F, 1, m, c_null_ptr, 0.0, G, 1, m, 0, &
    0, 0)
  call expect('what is prepared of doubles', stat == abax_invalid_argument .and. &
    index(abax_message(stream), 'A was prepared of double numbers, but float ones were expected') > 0)
  call abax_free_integer_operand(left)
  lost = -1
  stat = abax_dgemm_integer_lost(stream, 'L', 'N', m, k, A, 1, m, 0, lost)
  call expect('gemm_integer_lost', stat == 0 .and. lost == 0)

  ! Bytes: 127 squared many times is more than a byte, and than what 16 bits hold.
  bytes = reshape([(int(mod(37*i, 256) - 128, c_int8_t), i=1, m*k)], [m, k])
  more_bytes = reshape([(int(mod(91*i, 256) - 128, c_int8_t), i=1, k*n)], [k, n])
  sums = 5
  stat = abax_gemm_int8(stream, 'N', 'N', m, n, k, 1000, bytes, 1, m, more_bytes, 1, k, -2, sums, 1, m)
  call expect('gemm_int8', stat == 0 .and. all(sums == 1000*matmul(int(bytes), int(more_bytes)) - 10))
  these = 5
  call abax_gemm(bytes(m:1:-1, :), more_bytes, these(1::2, :))
  call expect('gemm of bytes', all(these(1::2, :) == matmul(int(bytes(m:1:-1, :)), int(more_bytes))))
  call expect('what lies between', all(these(2::2, :) == 5))
  call abax_gemm(transpose(bytes), transpose(more_bytes), sums, 'T', 't', alpha=3, beta=1, stream=stream, stat=stat)
  call expect('gemm of bytes, both transposed', stat == 0 .and. &
    all(sums == 1003*matmul(int(bytes), int(more_bytes)) - 10))
  call abax_gemm(bytes, bytes, sums, stat=stat, errmsg=errmsg)
  call expect_message('gemm of bytes', stat, errmsg, 'dimension 2 of op(A) is 3, but dimension 1 of op(B) is 5')
  A = 2
  B = 0.5_c_double
  stat = abax_ddot(stream, 4_c_int64_t, A, 1_c_int64_t, B, 1_c_int64_t, s)
  call expect('64-bit integers', stat == 0 .and. s == 4)
  stat = abax_ddot(stream, k, A(1, 1), m, B(1, 2), 1, s)
  call expect('dot of columns', stat == 0 .and. s == 3)
  stat = abax_ddot(stream, k, A(2, :), 1, B(:, 2), 1, s)
  call expect('dot of a section', stat == 0 .and. s == 3)
  C = reshape([(real(i, c_double), i=1, m*n)], [m, n])
  call expect('gemv', abax_dgemv(stream, 'T', m, n, 1d0, C, 1, m, A, 1, 0d0, C(1, 1), 1) == abax_invalid_argument)
  call expect('what is wrong', index(abax_message(stream), 'abax::gemv') > 0)
  F = reshape([(real(i), i=1, m*m)], [m, m])
  stat = abax_stranspose(stream, m, m, F, 1, m, G, 1, m)
  call expect('transpose', stat == 0 .and. all(G == transpose(F)))
  stat = abax_daxpby(stream, m, 2d0, A, 1, 1d0, C, 1)
  call expect('axpby', stat == 0 .and. all(C(:, 1) == [5, 6, 7, 8, 9]))
  stat = abax_dscal(stream, m, C, 1, 2d0, A, 1)
  call expect('scal', stat == 0 .and. all(C(:, 1) == 4))
  stat = abax_dcopy(stream, m, A, 1, C, 1)
  call expect('copy', stat == 0 .and. all(C(:, 1) == 2))
  C = 0
  stat = abax_dtriad(stream, k, 2d0, A, 2, B, 4, C(2, 1), m)
  call expect('triad', stat == 0 .and. all(C(2, 1:k) == 4.5d0) .and. all(C(1, :) == 0))
  C = 2
  stat = abax_dincrement(stream, m, 1d0, C, 1)
  call expect('increment', stat == 0 .and. all(C(:, 1) == 3))

  Z = reshape([(cmplx(mod(3*i, 7) - 3, mod(5*i, 9) - 4, c_double), i=1, m*k)], [m, k])
  W = reshape([(cmplx(mod(5*i, 9) - 4, mod(2*i, 7) - 3, c_double), i=1, k*n)], [k, n])
  V = i1
  stat = abax_zgemm(stream, 'N', 'N', m, n, k, i1, Z, 1, m, W, 1, k, 2*i1, V, 1, m)
  call expect('zgemm', stat == 0 .and. all(V == i1*matmul(Z, W) - 2))
  V = i1
  stat = abax_zgemm_integer(stream, 'N', 'N', m, n, k, i1, Z, 1, m, W, 1, k, 2*i1, V, 1, m, 0)
  call expect('zgemm_integer', stat == 0 .and. all(V == i1*matmul(Z, W) - 2))
  stat = abax_zinteger_operand(stream, 'L', 'N', m, k, Z, 1, m, 0, left)
  call expect('zinteger_operand', stat == 0 .and. c_associated(left))
  V = 0
  stat = abax_zgemm_integer_with(stream, 'N', 'N', m, n, k, i1, Z, 0, 0, left, W, 1, k, c_null_ptr, 2*i1, V, 1, m, 0, &
    10000000, abax_verify_products)
  call expect('zgemm_integer_with', stat == 0 .and. all(V == i1*matmul(Z, W)))
  call abax_free_integer_operand(left)
  lost = -1
  stat = abax_zgemm_integer_lost(stream, 'L', 'C', int(k, c_int64_t), int(n, c_int64_t), W, 1_c_int64_t, &
    int(k, c_int64_t), 0, lost)
  call expect('zgemm_integer_lost', stat == 0 .and. lost == 0)
  V = i1
  stat = abax_zgemm(stream, 'N', 'N', m, n, k, i1, Z, 1, m, W, 1, k, 2*i1, V, 1, m)
  stat = abax_zgemv(stream, 'C', m, k, i1, Z, 1, m, V(:, 2), 1, (0d0, 0d0), W(1, 1), 1)
  call expect('zgemv', stat == 0 .and. all(W(:, 1) == i1*matmul(conjg(transpose(Z)), V(:, 2))))
  stat = abax_zgemm_batched(stream, 'C', 'N', 2, k, 1, m, i1, Z, 0, 1, m, V, m, 1, m, (0d0, 0d0), W, k, 1, k)
  call expect('zgemm_batched', stat == 0 .and. all(W(:, :2) == i1*matmul(conjg(transpose(Z)), V(:, :2))))
  stat = abax_zgemm_batched_at(stream, 'N', 'N', 1, m, 1, k, i1, [c_loc(Z)], m, [c_loc(W(1, 3))], k, (0d0, 0d0), &
    [c_loc(V(1, 1))], m)
  call expect('zgemm_batched_at', stat == 0 .and. all(V(:, 1) == i1*matmul(Z, W(:, 3))))
  stat = abax_zdotu(stream, k, Z, m, W, 1, u)
  call expect('zdotu', stat == 0 .and. u == sum(Z(1, :)*W(:, 1)))
  stat = abax_zdotc(stream, int(k, c_int64_t), Z, int(m, c_int64_t), W, 1_c_int64_t, u)
  call expect('zdotc', stat == 0 .and. u == dot_product(Z(1, :), W(:, 1)))
  stat = abax_dzasum(stream, k, W, 1, s)
  call expect('dzasum', stat == 0 .and. s == sum(abs(real(W(:, 1))) + abs(aimag(W(:, 1)))))
  c2 = reshape([(cmplx(i, -i), i=1, m*m)], [m, m])
  stat = abax_cconjugate_transpose(stream, m, m, c2, 1, m, d2, 1, m)
  call expect('cconjugate_transpose', stat == 0 .and. all(d2 == conjg(transpose(c2))))
  stat = abax_cconjugate_transpose_in_place(stream, m, d2, 1, m)
  call expect('cconjugate_transpose_in_place', stat == 0 .and. all(d2 == c2))
  stat = abax_cherk(stream, 'L', 'N', m, 1, 2.0, c2, 1, m, 0.0, d2, 1, m)
  call expect('cherk', stat == 0 .and. all(d2(:, 1) == 2*c2(:, 1)*conjg(c2(1, 1))))
  stat = abax_csscal(stream, m, d2, 1, 3.0, c2(1, 2), 1)
  call expect('csscal', stat == 0 .and. all(d2(:, 1) == 3*c2(:, 2)))
  call abax_close(stream)
  print '(a)', 'all forms are right'
end program
