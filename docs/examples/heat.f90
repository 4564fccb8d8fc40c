! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Heat in a rod, in Fortran: each step in time is a product of a matrix and a vector, here a column of an array. The
! sine that it begins with keeps its shape and fades by a factor that is known.
!
!   $ gfortran $PREFIX/include/abax/abax.F90 heat.f90 -L$PREFIX/lib -labax_blas -Wl,-rpath,$PREFIX/lib -o heat
program heat
  use, intrinsic :: iso_c_binding, only: wp => c_double
  use abax
  implicit none
  integer, parameter :: points = 200, steps = 500
  real(wp), parameter :: pi = acos(-1.0_wp), rate = 0.4_wp
  real(wp) :: step(points, points), u(points, 0:steps), factor, error
  integer :: i

  step = 0
  do i = 1, points
    step(i, i) = 1 - 2*rate
    if (i > 1) step(i, i - 1) = rate
    if (i < points) step(i, i + 1) = rate
    u(i, 0) = sin(pi*i/(points + 1))
  end do

  do i = 1, steps
    call abax_gemv(step, u(:, i - 1), u(:, i))
  end do

  factor = 1 - 4*rate*sin(pi/(2*(points + 1)))**2
  error = maxval(abs(u(:, steps) - factor**steps*u(:, 0)))
  ! What the middle saw over time is a row: its elements lie far apart, and are used where they lie.
  if (abs(abax_dot(u(points/2, :), u(points/2, :)) - sum(u(points/2, :)**2)) > 1e-9_wp) error stop 'heat: WRONG sum'
  if (error > 1e-12_wp) error stop 'heat: WRONG'
  print '(a, i0, a, f6.4, a, es7.1, a)', 'heat: after ', steps, ' steps the middle is at ', u(points/2, steps), &
    ', error ', error, ': right'
end program
