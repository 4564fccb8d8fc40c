! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Abax for Fortran 2018: the functions of abax.h, and short calls on arrays as they are declared.
!>
!> Compile this file with your own compiler (module files are not portable; the .inc files lie beside it, and the name
!> .F90 has them preprocessed), and link libabax_blas. What is computed, and in which order, stands in abax.h and
!> docs/canon.md.
!>
!> Short calls take matrices and vectors of one type, real or complex of kind c_float or c_double, also sections with
!> gaps and reversed ones: nothing is copied. Arguments in brackets may be left out; alpha is then 1, beta 0 (axpby: 1),
!> nothing is transposed, and a triangle is the lower one. 'C' is the conjugate transpose. In batches A or B of rank 2,
!> or x of rank 1, is one for all items.
!>
!>     call abax_gemm(A, B, C [, transA, transB, alpha, beta])      C <- alpha op(A) op(B) + beta C; also of bytes,
!>                                                                  A and B of kind c_int8_t, all else c_int32_t
!>     call abax_gemm_batched(A, B, C [, transA, transB, alpha, beta])   the same for each (:, :, i)
!>     call abax_gemmt(A, B, C [, uplo, transA, transB, alpha, beta])   the same for one triangle of C, 'L' or 'U'
!>     call abax_syrk(A, C [, uplo, trans, alpha, beta])            C <- alpha op(A) op(A)^T + beta C, one triangle
!>     call abax_herk(A, C [, uplo, trans, alpha, beta])            the same with op(A)^H, of complex matrices
!>     call abax_gemv(A, x, y [, trans, alpha, beta])               y <- alpha op(A) x + beta y
!>     call abax_gemv_batched(A, x, y [, trans, alpha, beta])       the same for each (:, :, i) and column i of x and y
!>     s = abax_dot(x, y)                                           x . y, on the host; an error ends the program
!>     s = abax_dotc(x, y)                                          conj(x) . y of complex vectors, likewise
!>     s = abax_nrm2(x), abax_asum(x), abax_sum(x)                  norm, sum of magnitudes, sum (of reals), likewise
!>     i = abax_iamax(x)                                            the first of largest magnitude, from 1; 0: none
!>     call abax_transpose(A [, B])                                 B <- A^T; without B: A <- A^T
!>     call abax_conjugate_transpose(A [, B])                       the same with A^H, of complex matrices
!>     call abax_axpby(x, y [, alpha, beta])                        y <- alpha x + beta y
!>     call abax_scal(y, alpha [, x])                               y <- alpha x; without x: y <- alpha y; alpha may
!>                                                                  be real where y is complex
!>     call abax_copy(x, y)                                         y <- x
!>     call abax_triad(x, y, z [, alpha])                           z <- alpha x + y
!>     call abax_increment(value, x)                                x <- x + value
!>
!> Products by way of integers (docs/integer.md), also of complex matrices:
!>
!>     call abax_gemm_integer(A, B, C [, transA, transB, alpha, beta, bits, workspace, verify])
!>     call abax_prepare_integer(A, side, prepared [, trans, bits])   prepared <- op(A) as the left ('L') or the right
!>                                                                  ('R') operand of abax_gemm_integer, for A or B
!>     call abax_free_integer_operand(prepared)                     which has no other arguments
!>     i = abax_gemm_integer_lost(A, side [, trans, bits])          how many elements (of complex numbers: parts) lose
!>                                                                  bits, on the host; an error ends the program
!>
!> `prepared` is of type(abax_integer_operand); what it held before is freed. A is a variable that stays where and as it
!> is until then, no expression and no section by a vector of subscripts: products still read its lines with an
!> infinity. A copy of `prepared` is no second one: once one is freed, none is to be used.
!>
!> All subroutines also take [, stream, stat, errmsg]. stream: from abax_open, in whose memory the arrays lie; without
!> it the host computes. stat: abax_success or another status; without it an error ends the program with a message.
!> errmsg: the message, if there is an error. Nothing has been written then.
!>
!> Explicit calls have the names, arguments and statuses of abax.h: abax_dgemm(stream, 'N', 'N', m, n, k, alpha, A, rsA,
!> csA, ...). Their extents and strides are default or 64-bit integers, of one kind in a call. Pass an
!> operand's first element, or a contiguous array of any rank. A section with gaps is handed over as a contiguous copy,
!> so that its stride is then 1; never pass one on a device, where an operand has its address there, as `!$acc host_data
!> use_device` or `!$omp target data use_device_addr` gives it. A device's stream returns early: call abax_fence before
!> operands, also values of expressions, go out of scope. What abax_dinteger_operand prepares is a type(c_ptr), and
!> c_null_ptr where a product is to have none; abax_free_integer_operand takes it, too.

!> What all kinds of numbers share.
module abax_common
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_int, c_int8_t, &
    c_int32_t, c_int64_t, c_intptr_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none

  integer(c_int), parameter :: abax_success = 0, abax_invalid_argument = 1, abax_out_of_resources = 2, &
    abax_unavailable = 3, abax_failed = 4
  integer(c_int), parameter :: abax_host = 0, abax_device = 1
  integer(c_int), parameter :: abax_trust_operands = 1, abax_verify_products = 2

  interface
    integer(c_int) function abax_version() bind(c, name='abax_version')
      import :: c_int
    end function
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
    subroutine c_free_integer_operand(operand) bind(c, name='abax_free_integer_operand')
      import :: c_ptr
      type(c_ptr), value :: operand
    end subroutine
    integer(c_int) function c_gemm_int8(stream, transA, transB, m, n, k, alpha, A, rsA, csA, B, rsB, csB, beta, &
      C, rsC, csC) bind(c, name='abax_gemm_int8')
      import :: c_char, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: stream, A, B, C
      character(kind=c_char), value :: transA, transB
      integer(c_int64_t), value :: m, n, k, rsA, csA, rsB, csB, rsC, csC
      integer(c_int32_t), value :: alpha, beta
    end function
    type(c_ptr) function c_message(stream) bind(c, name='abax_message')
      import :: c_ptr
      type(c_ptr), value :: stream
    end function
    type(c_ptr) function c_status_text(status) bind(c, name='abax_status_text')
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

  !> A strided operand of a short call: the address of its first element, extents, and distances in elements. Of
  !> several items (-1: one for all): the first one's, and the distance from one to the next.
  type :: operand
    type(c_ptr) :: first = c_null_ptr
    integer(c_int64_t) :: extent(2) = 1, stride(2) = 1, items = -1, step = 0
    logical :: strided = .true. !< each distance is a whole number of elements
  end type

  !> op(A) in integers, for many products (abax_prepare_integer). The handle is abax.h's.
  type :: abax_integer_operand
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: extent(2) = 0 !< of op(A)
  end type
  interface abax_free_integer_operand
    procedure c_free_integer_operand, free_integer_operand
  end interface

  !> An operand of a product by way of integers: a matrix, or what is prepared of it.
  type :: factor
    type(operand) :: place
    type(c_ptr) :: made = c_null_ptr
    logical :: prepared = .false.
  contains
    procedure :: require => require_factor
  end type

  !> A short call on its way: it does nothing more once its status is an error.
  type :: short_call
    character(len=:), allocatable :: name, message
    type(c_ptr) :: stream = c_null_ptr
    integer(c_int) :: status = abax_success
    logical :: opened = .false.
  contains
    procedure :: refuse, require_strided, require_equal, finish
  end type

contains

  !> What went wrong in the stream's last call that failed; empty if none has.
  function abax_message(stream) result(text)
    type(c_ptr), intent(in) :: stream
    character(len=:), allocatable :: text
    text = text_at(c_message(stream))
  end function

  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(address, characters, [c_strlen(address)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  function begin(name, stream) result(this)
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in), optional :: stream
    type(short_call) :: this
    this%name = name
    if (present(stream)) then
      this%stream = stream
    else
      this%status = abax_open(abax_host, c_null_ptr, 0_c_int, this%stream)
      this%opened = this%status == abax_success
    end if
  end function

  subroutine refuse(this, message)
    class(short_call), intent(inout) :: this
    character(len=*), intent(in) :: message
    if (this%status /= abax_success) return
    this%status = abax_invalid_argument
    this%message = this%name//': '//message
  end subroutine

  subroutine require_strided(this, name, one)
    class(short_call), intent(inout) :: this
    character(len=*), intent(in) :: name
    type(operand), intent(in) :: one
    if (.not. one%strided) call this%refuse(name//"'s elements do not lie at multiples of their size")
  end subroutine

  subroutine require_equal(this, name, extent, other_name, other)
    class(short_call), intent(inout) :: this
    character(len=*), intent(in) :: name, other_name
    integer(c_int64_t), intent(in) :: extent, other
    character(len=20) :: found, expected
    if (extent == other) return
    write (found, '(i0)') extent
    write (expected, '(i0)') other
    call this%refuse(name//' is '//trim(found)//', but '//other_name//' is '//trim(expected))
  end subroutine

  subroutine finish(this, stat, errmsg)
    class(short_call), intent(inout) :: this
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (this%status /= abax_success .and. .not. allocated(this%message)) then
      this%message = text_at(c_status_text(this%status))
      if (c_associated(this%stream)) then
        if (len(abax_message(this%stream)) > 0) this%message = abax_message(this%stream)
      end if
    end if
    if (this%opened) call abax_close(this%stream)
    if (present(stat)) stat = this%status
    if (this%status == abax_success) return
    if (present(errmsg)) errmsg = this%message
    if (present(stat)) return
    write (error_unit, '(a)') this%message
    error stop
  end subroutine

  logical function is_transposed(trans)
    character, intent(in) :: trans
    is_transposed = scan(trans, 'TtCc') > 0
  end function

  character function letter(trans)
    character, intent(in), optional :: trans
    letter = 'N'
    if (present(trans)) letter = trans
  end function

  !> The extents of op(A).
  function op(A, trans) result(extent)
    type(operand), intent(in) :: A
    character, intent(in) :: trans
    integer(c_int64_t) :: extent(2)
    extent = A%extent
    if (is_transposed(trans)) extent = A%extent([2, 1])
  end function

  subroutine free_integer_operand(operand)
    type(abax_integer_operand), intent(inout) :: operand
    call c_free_integer_operand(operand%handle)
    operand = abax_integer_operand()
  end subroutine

  type(factor) function as_prepared(X)
    type(abax_integer_operand), intent(in) :: X
    as_prepared%prepared = .true.
    as_prepared%made = X%handle
    as_prepared%place%extent = X%extent
  end function

  subroutine require_factor(this, call, name)
    class(factor), intent(in) :: this
    type(short_call), intent(inout) :: call
    character(len=*), intent(in) :: name
    if (this%prepared .and. .not. c_associated(this%made)) call call%refuse(name//' is not prepared')
    call call%require_strided(name, this%place)
  end subroutine

  integer(c_int) function bits_or_default(bits)
    integer, intent(in), optional :: bits
    bits_or_default = 0
    if (present(bits)) bits_or_default = int(bits, c_int)
  end function

  !> A matrix as items, one for each of its columns.
  function columns(matrix) result(items)
    type(operand), intent(in) :: matrix
    type(operand) :: items
    items = matrix
    items%items = matrix%extent(2)
    items%step = matrix%stride(2)
  end function

  !> The distance from one element of `bytes` to another.
  subroutine measure(one, along, from, to, bytes)
    type(operand), intent(inout) :: one
    integer, intent(in) :: along
    type(c_ptr), intent(in) :: from, to
    integer, intent(in) :: bytes
    integer(c_intptr_t) :: distance
    distance = transfer(to, distance) - transfer(from, distance)
    one%stride(along) = distance/bytes
    one%strided = one%strided .and. mod(distance, int(bytes, c_intptr_t)) == 0
  end subroutine

end module

#define NUMBER real(wp)
#define LETTER 's'
#define NORM 's'
#define DOT 'dot'
module abax_single
  use abax_common
  implicit none
  integer, parameter :: wp = c_float
#include "abax_c.inc"
end module

module abax_explicit_single_32
  use abax_single
  implicit none
  integer, parameter :: ik = c_int32_t
#include "abax_explicit.inc"
end module

module abax_explicit_single_64
  use abax_single
  implicit none
  integer, parameter :: ik = c_int64_t
#include "abax_explicit.inc"
end module

module abax_short_single
  use abax_single
  implicit none
#include "abax_short.inc"
end module

module abax_integer_single
  use abax_single
  use abax_short_single, only: place_of_matrix, value_or
  implicit none
#include "abax_integer.inc"
end module
#undef NUMBER
#undef LETTER
#undef NORM
#undef DOT

#define NUMBER real(wp)
#define LETTER 'd'
#define NORM 'd'
#define DOT 'dot'
module abax_double
  use abax_common
  implicit none
  integer, parameter :: wp = c_double
#include "abax_c.inc"
end module

module abax_explicit_double_32
  use abax_double
  implicit none
  integer, parameter :: ik = c_int32_t
#include "abax_explicit.inc"
end module

module abax_explicit_double_64
  use abax_double
  implicit none
  integer, parameter :: ik = c_int64_t
#include "abax_explicit.inc"
end module

module abax_short_double
  use abax_double
  implicit none
#include "abax_short.inc"
end module

module abax_integer_double
  use abax_double
  use abax_short_double, only: place_of_matrix, value_or
  implicit none
#include "abax_integer.inc"
end module
#undef NUMBER
#undef LETTER
#undef NORM
#undef DOT

#define NUMBER complex(wp)
#define LETTER 'c'
#define NORM 'sc'
#define DOT 'dotu'
#define COMPLEX
#define BY_REAL 'cs'
module abax_complex_single
  use abax_common
  implicit none
  integer, parameter :: wp = c_float
#include "abax_c.inc"
end module

module abax_explicit_complex_single_32
  use abax_complex_single
  implicit none
  integer, parameter :: ik = c_int32_t
#include "abax_explicit.inc"
end module

module abax_explicit_complex_single_64
  use abax_complex_single
  implicit none
  integer, parameter :: ik = c_int64_t
#include "abax_explicit.inc"
end module

module abax_short_complex_single
  use abax_complex_single
  implicit none
#include "abax_short.inc"
end module

module abax_integer_complex_single
  use abax_complex_single
  use abax_short_complex_single, only: place_of_matrix, value_or
  implicit none
#include "abax_integer.inc"
end module
#undef NUMBER
#undef LETTER
#undef NORM
#undef DOT
#undef COMPLEX
#undef BY_REAL

#define NUMBER complex(wp)
#define LETTER 'z'
#define NORM 'dz'
#define DOT 'dotu'
#define COMPLEX
#define BY_REAL 'zd'
module abax_complex_double
  use abax_common
  implicit none
  integer, parameter :: wp = c_double
#include "abax_c.inc"
end module

module abax_explicit_complex_double_32
  use abax_complex_double
  implicit none
  integer, parameter :: ik = c_int32_t
#include "abax_explicit.inc"
end module

module abax_explicit_complex_double_64
  use abax_complex_double
  implicit none
  integer, parameter :: ik = c_int64_t
#include "abax_explicit.inc"
end module

module abax_short_complex_double
  use abax_complex_double
  implicit none
#include "abax_short.inc"
end module

module abax_integer_complex_double
  use abax_complex_double
  use abax_short_complex_double, only: place_of_matrix, value_or
  implicit none
#include "abax_integer.inc"
end module
#undef NUMBER
#undef LETTER
#undef NORM
#undef DOT
#undef COMPLEX
#undef BY_REAL

module abax_explicit_int8_32
  use abax_common
  implicit none
  integer, parameter :: ik = c_int32_t
#include "abax_int8.inc"
end module

module abax_explicit_int8_64
  use abax_common
  implicit none
  integer, parameter :: ik = c_int64_t
#include "abax_int8.inc"
end module

module abax_short_int8
  use abax_common
  implicit none
  private
  public :: abax_gemm

  interface abax_gemm
    procedure gemm
  end interface
  interface place
    procedure place_of_bytes, place_of_integers
  end interface

contains

  subroutine gemm(A, B, C, transA, transB, alpha, beta, stream, stat, errmsg)
    integer(c_int8_t), intent(in), target :: A(:, :), B(:, :)
    integer(c_int32_t), intent(inout), target :: C(:, :)
    character, intent(in), optional :: transA, transB
    integer(c_int32_t), intent(in), optional :: alpha, beta
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(short_call) :: this
    type(operand) :: at, bt, ct
    integer(c_int64_t) :: left(2), right(2)
    character :: turn_A, turn_B
    integer(c_int32_t) :: factors(2)
    this = begin('abax_gemm', stream)
    at = place(A)
    bt = place(B)
    ct = place(C)
    turn_A = letter(transA)
    turn_B = letter(transB)
    left = op(at, turn_A)
    right = op(bt, turn_B)
    call this%require_equal('dimension 1 of op(A)', left(1), 'dimension 1 of C', ct%extent(1))
    call this%require_equal('dimension 2 of op(A)', left(2), 'dimension 1 of op(B)', right(1))
    call this%require_equal('dimension 2 of op(B)', right(2), 'dimension 2 of C', ct%extent(2))
    call this%require_strided('A', at)
    call this%require_strided('B', bt)
    call this%require_strided('C', ct)
    factors = [1, 0]
    if (present(alpha)) factors(1) = alpha
    if (present(beta)) factors(2) = beta
    if (this%status == abax_success) this%status = c_gemm_int8(this%stream, turn_A, turn_B, left(1), right(2), &
      left(2), factors(1), at%first, at%stride(1), at%stride(2), bt%first, bt%stride(1), bt%stride(2), factors(2), &
      ct%first, ct%stride(1), ct%stride(2))
    call this%finish(stat, errmsg)
  end subroutine

  type(operand) function place_of_bytes(A) result(one)
    integer(c_int8_t), intent(in), target :: A(:, :)
    one%extent = shape(A, c_int64_t)
    if (any(one%extent == 0)) return
    one%first = c_loc(A(1, 1))
    if (one%extent(1) > 1) call measure(one, 1, one%first, c_loc(A(2, 1)), 1)
    if (one%extent(2) > 1) call measure(one, 2, one%first, c_loc(A(1, 2)), 1)
  end function

  type(operand) function place_of_integers(A) result(one)
    integer(c_int32_t), intent(in), target :: A(:, :)
    one%extent = shape(A, c_int64_t)
    if (any(one%extent == 0)) return
    one%first = c_loc(A(1, 1))
    if (one%extent(1) > 1) call measure(one, 1, one%first, c_loc(A(2, 1)), 4)
    if (one%extent(2) > 1) call measure(one, 2, one%first, c_loc(A(1, 2)), 4)
  end function

end module

!> What a program uses.
module abax
  use abax_common, only: abax_success, abax_invalid_argument, abax_out_of_resources, abax_unavailable, abax_failed, &
    abax_host, abax_device, abax_trust_operands, abax_verify_products, abax_version, abax_open, abax_close, &
    abax_fence, abax_message, abax_integer_operand, abax_free_integer_operand
  use abax_explicit_single_32, only: abax_sgemm => gemm, abax_sgemm_batched => gemm_batched, &
    abax_sgemm_batched_at => gemm_batched_at, abax_sgemv_batched => gemv_batched, abax_sgemmt => gemmt, &
    abax_ssyrk => syrk, abax_sgemv => gemv, abax_sdot => dot, abax_snrm2 => nrm2, abax_sasum => asum, &
    abax_ssum => sum_to, abax_isamax => iamax, abax_stranspose => transpose_to, abax_saxpby => axpby, &
    abax_sscal => scal, abax_scopy => copy, abax_striad => triad, abax_sincrement => increment, &
    abax_stranspose_in_place => transpose_in_place, &
    abax_sgemm_integer => gemm_integer, abax_sgemm_integer_with => gemm_integer_with, &
    abax_sgemm_integer_lost => gemm_integer_lost, abax_sinteger_operand => integer_operand
  use abax_explicit_single_64, only: abax_sgemm => gemm, abax_sgemm_batched => gemm_batched, &
    abax_sgemm_batched_at => gemm_batched_at, abax_sgemv_batched => gemv_batched, abax_sgemmt => gemmt, &
    abax_ssyrk => syrk, abax_sgemv => gemv, abax_sdot => dot, abax_snrm2 => nrm2, abax_sasum => asum, &
    abax_ssum => sum_to, abax_isamax => iamax, abax_stranspose => transpose_to, abax_saxpby => axpby, &
    abax_sscal => scal, abax_scopy => copy, abax_striad => triad, abax_sincrement => increment, &
    abax_stranspose_in_place => transpose_in_place, &
    abax_sgemm_integer => gemm_integer, abax_sgemm_integer_with => gemm_integer_with, &
    abax_sgemm_integer_lost => gemm_integer_lost, abax_sinteger_operand => integer_operand
  use abax_explicit_double_32, only: abax_dgemm => gemm, abax_dgemm_batched => gemm_batched, &
    abax_dgemm_batched_at => gemm_batched_at, abax_dgemv_batched => gemv_batched, abax_dgemmt => gemmt, &
    abax_dsyrk => syrk, abax_dgemv => gemv, abax_ddot => dot, abax_dnrm2 => nrm2, abax_dasum => asum, &
    abax_dsum => sum_to, abax_idamax => iamax, abax_dtranspose => transpose_to, abax_daxpby => axpby, &
    abax_dscal => scal, abax_dcopy => copy, abax_dtriad => triad, abax_dincrement => increment, &
    abax_dtranspose_in_place => transpose_in_place, &
    abax_dgemm_integer => gemm_integer, abax_dgemm_integer_with => gemm_integer_with, &
    abax_dgemm_integer_lost => gemm_integer_lost, abax_dinteger_operand => integer_operand
  use abax_explicit_double_64, only: abax_dgemm => gemm, abax_dgemm_batched => gemm_batched, &
    abax_dgemm_batched_at => gemm_batched_at, abax_dgemv_batched => gemv_batched, abax_dgemmt => gemmt, &
    abax_dsyrk => syrk, abax_dgemv => gemv, abax_ddot => dot, abax_dnrm2 => nrm2, abax_dasum => asum, &
    abax_dsum => sum_to, abax_idamax => iamax, abax_dtranspose => transpose_to, abax_daxpby => axpby, &
    abax_dscal => scal, abax_dcopy => copy, abax_dtriad => triad, abax_dincrement => increment, &
    abax_dtranspose_in_place => transpose_in_place, &
    abax_dgemm_integer => gemm_integer, abax_dgemm_integer_with => gemm_integer_with, &
    abax_dgemm_integer_lost => gemm_integer_lost, abax_dinteger_operand => integer_operand
  use abax_explicit_complex_single_32, only: abax_cgemm => gemm, abax_cgemm_batched => gemm_batched, &
    abax_cgemm_batched_at => gemm_batched_at, abax_cgemv_batched => gemv_batched, abax_cgemmt => gemmt, &
    abax_csyrk => syrk, abax_cgemv => gemv, abax_cdotu => dot, abax_scnrm2 => nrm2, abax_scasum => asum, &
    abax_icamax => iamax, abax_ctranspose => transpose_to, abax_caxpby => axpby, abax_cscal => scal, &
    abax_ccopy => copy, abax_ctriad => triad, abax_cincrement => increment, &
    abax_ctranspose_in_place => transpose_in_place, abax_cdotc => dotc, abax_cherk => herk, &
    abax_cconjugate_transpose => conjugate_transpose_to, &
    abax_cconjugate_transpose_in_place => conjugate_transpose_in_place, abax_csscal => scal_by_real, &
    abax_cgemm_integer => gemm_integer, abax_cgemm_integer_with => gemm_integer_with, &
    abax_cgemm_integer_lost => gemm_integer_lost, abax_cinteger_operand => integer_operand
  use abax_explicit_complex_single_64, only: abax_cgemm => gemm, abax_cgemm_batched => gemm_batched, &
    abax_cgemm_batched_at => gemm_batched_at, abax_cgemv_batched => gemv_batched, abax_cgemmt => gemmt, &
    abax_csyrk => syrk, abax_cgemv => gemv, abax_cdotu => dot, abax_scnrm2 => nrm2, abax_scasum => asum, &
    abax_icamax => iamax, abax_ctranspose => transpose_to, abax_caxpby => axpby, abax_cscal => scal, &
    abax_ccopy => copy, abax_ctriad => triad, abax_cincrement => increment, &
    abax_ctranspose_in_place => transpose_in_place, abax_cdotc => dotc, abax_cherk => herk, &
    abax_cconjugate_transpose => conjugate_transpose_to, &
    abax_cconjugate_transpose_in_place => conjugate_transpose_in_place, abax_csscal => scal_by_real, &
    abax_cgemm_integer => gemm_integer, abax_cgemm_integer_with => gemm_integer_with, &
    abax_cgemm_integer_lost => gemm_integer_lost, abax_cinteger_operand => integer_operand
  use abax_explicit_complex_double_32, only: abax_zgemm => gemm, abax_zgemm_batched => gemm_batched, &
    abax_zgemm_batched_at => gemm_batched_at, abax_zgemv_batched => gemv_batched, abax_zgemmt => gemmt, &
    abax_zsyrk => syrk, abax_zgemv => gemv, abax_zdotu => dot, abax_dznrm2 => nrm2, abax_dzasum => asum, &
    abax_izamax => iamax, abax_ztranspose => transpose_to, abax_zaxpby => axpby, abax_zscal => scal, &
    abax_zcopy => copy, abax_ztriad => triad, abax_zincrement => increment, &
    abax_ztranspose_in_place => transpose_in_place, abax_zdotc => dotc, abax_zherk => herk, &
    abax_zconjugate_transpose => conjugate_transpose_to, &
    abax_zconjugate_transpose_in_place => conjugate_transpose_in_place, abax_zdscal => scal_by_real, &
    abax_zgemm_integer => gemm_integer, abax_zgemm_integer_with => gemm_integer_with, &
    abax_zgemm_integer_lost => gemm_integer_lost, abax_zinteger_operand => integer_operand
  use abax_explicit_complex_double_64, only: abax_zgemm => gemm, abax_zgemm_batched => gemm_batched, &
    abax_zgemm_batched_at => gemm_batched_at, abax_zgemv_batched => gemv_batched, abax_zgemmt => gemmt, &
    abax_zsyrk => syrk, abax_zgemv => gemv, abax_zdotu => dot, abax_dznrm2 => nrm2, abax_dzasum => asum, &
    abax_izamax => iamax, abax_ztranspose => transpose_to, abax_zaxpby => axpby, abax_zscal => scal, &
    abax_zcopy => copy, abax_ztriad => triad, abax_zincrement => increment, &
    abax_ztranspose_in_place => transpose_in_place, abax_zdotc => dotc, abax_zherk => herk, &
    abax_zconjugate_transpose => conjugate_transpose_to, &
    abax_zconjugate_transpose_in_place => conjugate_transpose_in_place, abax_zdscal => scal_by_real, &
    abax_zgemm_integer => gemm_integer, abax_zgemm_integer_with => gemm_integer_with, &
    abax_zgemm_integer_lost => gemm_integer_lost, abax_zinteger_operand => integer_operand
  use abax_short_single, only: abax_gemm, abax_gemm_batched, abax_gemmt, abax_syrk, abax_gemv, abax_gemv_batched, &
    abax_dot, abax_nrm2, abax_asum, abax_sum, abax_iamax, abax_transpose, abax_axpby, abax_scal, abax_copy, &
    abax_triad, abax_increment
  use abax_short_double, only: abax_gemm, abax_gemm_batched, abax_gemmt, abax_syrk, abax_gemv, abax_gemv_batched, &
    abax_dot, abax_nrm2, abax_asum, abax_sum, abax_iamax, abax_transpose, abax_axpby, abax_scal, abax_copy, &
    abax_triad, abax_increment
  use abax_short_complex_single, only: abax_gemm, abax_gemm_batched, abax_gemmt, abax_syrk, abax_gemv, &
    abax_gemv_batched, abax_dot, abax_nrm2, abax_asum, abax_iamax, abax_transpose, abax_axpby, abax_scal, &
    abax_copy, abax_triad, abax_increment, abax_dotc, abax_herk, abax_conjugate_transpose
  use abax_short_complex_double, only: abax_gemm, abax_gemm_batched, abax_gemmt, abax_syrk, abax_gemv, &
    abax_gemv_batched, abax_dot, abax_nrm2, abax_asum, abax_iamax, abax_transpose, abax_axpby, abax_scal, &
    abax_copy, abax_triad, abax_increment, abax_dotc, abax_herk, abax_conjugate_transpose
  use abax_integer_single, only: abax_gemm_integer, abax_prepare_integer, abax_gemm_integer_lost
  use abax_integer_double, only: abax_gemm_integer, abax_prepare_integer, abax_gemm_integer_lost
  use abax_integer_complex_single, only: abax_gemm_integer, abax_prepare_integer, abax_gemm_integer_lost
  use abax_integer_complex_double, only: abax_gemm_integer, abax_prepare_integer, abax_gemm_integer_lost
  use abax_explicit_int8_32, only: abax_gemm_int8 => gemm
  use abax_explicit_int8_64, only: abax_gemm_int8 => gemm
  use abax_short_int8, only: abax_gemm
end module
