! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Abax for Fortran 2008: the functions of abax.h under their own names.
!>
!> Compile this file with your own compiler (module files are not portable) and link libabax_blas. What each function
!> computes, which strides it takes and what it answers stands in abax.h. Arrays are assumed-size, of
!> any rank: on the host any array or array section whose first element is passed; on a device its address there, as
!> `!$acc host_data use_device` or `!$omp target data use_device_addr` gives it.
module abax
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_int, c_int64_t, c_null_ptr, c_ptr, c_size_t, &
    c_f_pointer
  implicit none
  private
  public :: abax_open, abax_close, abax_fence, abax_message
  public :: abax_sgemm, abax_dgemm, abax_sgemv, abax_dgemv, abax_sdot, abax_ddot, abax_stranspose, abax_dtranspose
  public :: abax_saxpby, abax_daxpby, abax_sscal, abax_dscal, abax_scopy, abax_dcopy, abax_striad, abax_dtriad
  public :: abax_sincrement, abax_dincrement

  integer(c_int), parameter, public :: abax_success = 0, abax_invalid_argument = 1, abax_out_of_resources = 2, &
    abax_unavailable = 3, abax_failed = 4
  integer(c_int), parameter, public :: abax_host = 0, abax_device = 1
  integer(c_int), parameter, public :: abax_trust_operands = 1

  interface
    !> integer(c_int) status = abax_open(place, queue, options, stream); queue: c_null_ptr, or a device's native stream.
    integer(c_int) function abax_open(place, queue, options, stream) bind(c, name='abax_open')
      import :: c_int, c_ptr
      integer(c_int), value :: place, options
      type(c_ptr), value :: queue
      type(c_ptr), intent(out) :: stream
    end function
    subroutine abax_close(stream) bind(c, name='abax_close')
      import :: c_ptr
      type(c_ptr), value :: stream
    end subroutine
    integer(c_int) function abax_fence(stream) bind(c, name='abax_fence')
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
    end function
    type(c_ptr) function c_message(stream) bind(c, name='abax_message')
      import :: c_ptr
      type(c_ptr), value :: stream
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
    integer(c_int) function abax_sgemm(stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, &
      C, rsC, csC) bind(c, name='abax_sgemm')
      import :: c_char, c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      character(kind=c_char), value :: transA, transB
      integer(c_int64_t), value :: m, n, k, rsA, csA, rsB, csB, rsC, csC
      real(c_float), value :: alpha, beta
      real(c_float), intent(in) :: A(*), B(*)
      real(c_float), intent(inout) :: C(*)
    end function
    integer(c_int) function abax_dgemm(stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, &
      C, rsC, csC) bind(c, name='abax_dgemm')
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      character(kind=c_char), value :: transA, transB
      integer(c_int64_t), value :: m, n, k, rsA, csA, rsB, csB, rsC, csC
      real(c_double), value :: alpha, beta
      real(c_double), intent(in) :: A(*), B(*)
      real(c_double), intent(inout) :: C(*)
    end function
    integer(c_int) function abax_sgemv(stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy) &
      bind(c, name='abax_sgemv')
      import :: c_char, c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      character(kind=c_char), value :: trans
      integer(c_int64_t), value :: m, n, rsA, csA, incx, incy
      real(c_float), value :: alpha, beta
      real(c_float), intent(in) :: A(*), x(*)
      real(c_float), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_dgemv(stream, trans, m, n, alpha, A, rsA, csA, x, incx, beta, y, incy) &
      bind(c, name='abax_dgemv')
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      character(kind=c_char), value :: trans
      integer(c_int64_t), value :: m, n, rsA, csA, incx, incy
      real(c_double), value :: alpha, beta
      real(c_double), intent(in) :: A(*), x(*)
      real(c_double), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_sdot(stream, n, x, incx, y, incy, result) bind(c, name='abax_sdot')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_float), intent(in) :: x(*), y(*)
      real(c_float), intent(out) :: result
    end function
    integer(c_int) function abax_ddot(stream, n, x, incx, y, incy, result) bind(c, name='abax_ddot')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_double), intent(in) :: x(*), y(*)
      real(c_double), intent(out) :: result
    end function
    integer(c_int) function abax_stranspose(stream, m, n, A, rsA, csA, B, rsB, csB) bind(c, name='abax_stranspose')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: m, n, rsA, csA, rsB, csB
      real(c_float), intent(in) :: A(*)
      real(c_float), intent(inout) :: B(*)
    end function
    integer(c_int) function abax_dtranspose(stream, m, n, A, rsA, csA, B, rsB, csB) bind(c, name='abax_dtranspose')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: m, n, rsA, csA, rsB, csB
      real(c_double), intent(in) :: A(*)
      real(c_double), intent(inout) :: B(*)
    end function
    integer(c_int) function abax_saxpby(stream, n, alpha, x, incx, beta, y, incy) bind(c, name='abax_saxpby')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_float), value :: alpha, beta
      real(c_float), intent(in) :: x(*)
      real(c_float), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_daxpby(stream, n, alpha, x, incx, beta, y, incy) bind(c, name='abax_daxpby')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_double), value :: alpha, beta
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_sscal(stream, n, y, incy, alpha, x, incx) bind(c, name='abax_sscal')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_float), value :: alpha
      real(c_float), intent(in) :: x(*)
      real(c_float), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_dscal(stream, n, y, incy, alpha, x, incx) bind(c, name='abax_dscal')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_double), value :: alpha
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_scopy(stream, n, x, incx, y, incy) bind(c, name='abax_scopy')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_float), intent(in) :: x(*)
      real(c_float), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_dcopy(stream, n, x, incx, y, incy) bind(c, name='abax_dcopy')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
    end function
    integer(c_int) function abax_striad(stream, n, alpha, x, incx, y, incy, z, incz) bind(c, name='abax_striad')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy, incz
      real(c_float), value :: alpha
      real(c_float), intent(in) :: x(*), y(*)
      real(c_float), intent(inout) :: z(*)
    end function
    integer(c_int) function abax_dtriad(stream, n, alpha, x, incx, y, incy, z, incz) bind(c, name='abax_dtriad')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx, incy, incz
      real(c_double), value :: alpha
      real(c_double), intent(in) :: x(*), y(*)
      real(c_double), intent(inout) :: z(*)
    end function
    integer(c_int) function abax_sincrement(stream, n, value, x, incx) bind(c, name='abax_sincrement')
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx
      real(c_float), value :: value
      real(c_float), intent(inout) :: x(*)
    end function
    integer(c_int) function abax_dincrement(stream, n, value, x, incx) bind(c, name='abax_dincrement')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: n, incx
      real(c_double), value :: value
      real(c_double), intent(inout) :: x(*)
    end function
  end interface

contains

  !> What went wrong in the stream's last call that failed; empty if none has.
  function abax_message(stream) result(text)
    type(c_ptr), intent(in) :: stream
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: message
    integer :: i
    message = c_message(stream)
    call c_f_pointer(message, characters, [c_strlen(message)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

end module
