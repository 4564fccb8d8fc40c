! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Elements that do not lie at multiples of their size (gfortran -fpack-derived): compilers that hand them over as they
! lie see them refused; gfortran copies them.
program packed
  use, intrinsic :: iso_c_binding, only: c_double
  use abax
  implicit none
  type :: labelled
    character :: label = 'x'
    real(c_double) :: value = 1
  end type
  type(labelled) :: x(4)
  real(c_double) :: y(4) = 7
  integer :: stat
  character(len=100) :: errmsg
  if (storage_size(x)/8 /= 9) error stop 'not packed'
  call abax_copy(x%value, y, stat=stat, errmsg=errmsg)
  if (stat == abax_success) then
    if (any(y /= 1)) error stop 'wrong'
  else if (any(y /= 7) .or. errmsg /= "abax_copy: x's elements do not lie at multiples of their size") then
    error stop errmsg
  end if
end program
