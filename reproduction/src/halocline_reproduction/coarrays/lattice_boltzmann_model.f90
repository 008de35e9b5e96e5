! The D3Q19 lattice Boltzmann model: velocities, equilibrium and the fused kernel.
!
! Velocities and weights: Qian, d'Humieres and Lallemand (1992).  BGK collision, second order
! equilibrium.  The kernel is the "collide, then push" sweep of two grids in the propagation
! optimised layout f(x, y, z, l) of Wellein et al. (2006).  It runs over solid cells too: what it
! leaves in the fluid from there is overwritten by the walls later (see lattice_boltzmann_walls).
module lattice_boltzmann_model
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: velocity, weight, opposite, equilibrium, moments, collide_stream, fill_equilibrium
  public :: field_checksum, top

  integer, parameter :: dp = real64

  ! Pair order: 0 is rest, and for odd l the opposite of l is l + 1.
  integer, parameter :: velocity(3, 0:18) = reshape([ &
    0, 0, 0,   1, 0, 0,  -1, 0, 0,   0, 1, 0,   0, -1, 0,   0, 0, 1,   0, 0, -1, &
    1, 1, 0,  -1, -1, 0,  1, 0, 1,  -1, 0, -1,  0, 1, 1,    0, -1, -1, &
    1, -1, 0, -1, 1, 0,   1, 0, -1, -1, 0, 1,   0, 1, -1,   0, -1, 1], [3, 19])
  real(dp), parameter :: w0 = 1.0_dp/3, w1 = 1.0_dp/18, w2 = 1.0_dp/36
  real(dp), parameter :: weight(0:18) = [w0, w1, w1, w1, w1, w1, w1, &
    w2, w2, w2, w2, w2, w2, w2, w2, w2, w2, w2, w2]
  integer, parameter :: opposite(0:18) = &
    [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17]

contains

  ! The upper bound of a grid along an axis: the halo cell behind n(axis) cells, and in y and z
  ! one more where the 19 populations would else lie a multiple of the page size apart.  Then they
  ! would compete for a few sets of the caches: up to half the speed is lost.
  pure integer function top(n, axis)
    integer, intent(in) :: n(3), axis
    integer, parameter :: page = 4096, more(3, 0:3) = reshape([0, 0, 0, 0, 1, 0, 0, 0, 1, &
      0, 1, 1], [3, 4])
    integer :: choice

    do choice = 0, 3
      if (modulo(8*product(int(n + 2 + more(:, choice), int64)), int(page, int64)) /= 0) exit
    end do
    top = n(axis) + 1 + more(axis, min(choice, 3))
  end function top

  ! The equilibrium of population l at density rho and velocity u.
  pure real(dp) function equilibrium(l, rho, u)
    integer, intent(in) :: l
    real(dp), intent(in) :: rho, u(3)
    real(dp) :: eu

    eu = dot_product(real(velocity(:, l), dp), u)
    equilibrium = weight(l)*rho*(1.0_dp + 3.0_dp*eu + 4.5_dp*eu**2 - 1.5_dp*dot_product(u, u))
  end function equilibrium

  ! Density and velocity of one cell.
  pure subroutine moments(f, rho, u)
    real(dp), intent(in) :: f(0:18)
    real(dp), intent(out) :: rho, u(3)
    integer :: l

    rho = 0.0_dp
    u = 0.0_dp
    do l = 0, 18
      rho = rho + f(l)
      u = u + f(l)*velocity(:, l)
    end do
    u = u/rho
  end subroutine moments

  ! Every cell, halo included, gets the equilibrium of density 1 and its velocity u(:, x, y, z).
  subroutine fill_equilibrium(n, u, f)
    integer, intent(in) :: n(3)
    real(dp), intent(in) :: u(3, 0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1)
    real(dp), intent(out) :: f(0:n(1) + 1, 0:top(n, 2), 0:top(n, 3), 0:18)
    integer :: i, j, k, l

    do l = 0, 18
      do k = 0, n(3) + 1
        do j = 0, n(2) + 1
          do i = 0, n(1) + 1
            f(i, j, k, l) = equilibrium(l, 1.0_dp, u(:, i, j, k))
          end do
        end do
      end do
    end do
  end subroutine fill_equilibrium

  ! One step: collide each cell of a, then push its populations to the neighbours in b.
  ! "ivdep" is true: all stores go to different populations.  So the loop over x is vectorised.
  subroutine collide_stream(n, omega, a, b)
    integer, intent(in) :: n(3)
    real(dp), intent(in) :: omega
    real(dp), intent(in) :: a(0:n(1) + 1, 0:top(n, 2), 0:top(n, 3), 0:18)
    real(dp), intent(inout) :: b(0:n(1) + 1, 0:top(n, 2), 0:top(n, 3), 0:18)
    real(dp) :: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17
    real(dp) :: f18, rho, one_over_rho, ux, uy, uz, rest, r0, r1, r2, keep, eu, even, odd
    integer :: i, j, k

    keep = 1.0_dp - omega
    do k = 1, n(3)
      do j = 1, n(2)
        !GCC$ ivdep
        do i = 1, n(1)
          f0 = a(i, j, k, 0)
          f1 = a(i, j, k, 1); f2 = a(i, j, k, 2)
          f3 = a(i, j, k, 3); f4 = a(i, j, k, 4)
          f5 = a(i, j, k, 5); f6 = a(i, j, k, 6)
          f7 = a(i, j, k, 7); f8 = a(i, j, k, 8)
          f9 = a(i, j, k, 9); f10 = a(i, j, k, 10)
          f11 = a(i, j, k, 11); f12 = a(i, j, k, 12)
          f13 = a(i, j, k, 13); f14 = a(i, j, k, 14)
          f15 = a(i, j, k, 15); f16 = a(i, j, k, 16)
          f17 = a(i, j, k, 17); f18 = a(i, j, k, 18)

          rho = f0 + ((f1 + f2) + (f3 + f4)) + ((f5 + f6) + (f7 + f8)) &
            + (((f9 + f10) + (f11 + f12)) + ((f13 + f14) + (f15 + f16))) + (f17 + f18)
          one_over_rho = 1.0_dp/rho
          ux = ((f1 - f2) + (f7 - f8) + (f9 - f10) + (f13 - f14) + (f15 - f16))*one_over_rho
          uy = ((f3 - f4) + (f7 - f8) + (f11 - f12) - (f13 - f14) + (f17 - f18))*one_over_rho
          uz = ((f5 - f6) + (f9 - f10) + (f11 - f12) - (f15 - f16) - (f17 - f18))*one_over_rho
          rest = 1.0_dp - 1.5_dp*(ux*ux + uy*uy + uz*uz)
          r0 = omega*w0*rho
          r1 = omega*w1*rho
          r2 = omega*w2*rho

          ! Of each pair: the even and the odd part of the equilibrium, times omega.
          b(i, j, k, 0) = keep*f0 + r0*rest
          even = r1*(rest + 4.5_dp*ux*ux); odd = 3.0_dp*r1*ux
          b(i + 1, j, k, 1) = keep*f1 + (even + odd)
          b(i - 1, j, k, 2) = keep*f2 + (even - odd)
          even = r1*(rest + 4.5_dp*uy*uy); odd = 3.0_dp*r1*uy
          b(i, j + 1, k, 3) = keep*f3 + (even + odd)
          b(i, j - 1, k, 4) = keep*f4 + (even - odd)
          even = r1*(rest + 4.5_dp*uz*uz); odd = 3.0_dp*r1*uz
          b(i, j, k + 1, 5) = keep*f5 + (even + odd)
          b(i, j, k - 1, 6) = keep*f6 + (even - odd)
          eu = ux + uy; even = r2*(rest + 4.5_dp*eu*eu); odd = 3.0_dp*r2*eu
          b(i + 1, j + 1, k, 7) = keep*f7 + (even + odd)
          b(i - 1, j - 1, k, 8) = keep*f8 + (even - odd)
          eu = ux + uz; even = r2*(rest + 4.5_dp*eu*eu); odd = 3.0_dp*r2*eu
          b(i + 1, j, k + 1, 9) = keep*f9 + (even + odd)
          b(i - 1, j, k - 1, 10) = keep*f10 + (even - odd)
          eu = uy + uz; even = r2*(rest + 4.5_dp*eu*eu); odd = 3.0_dp*r2*eu
          b(i, j + 1, k + 1, 11) = keep*f11 + (even + odd)
          b(i, j - 1, k - 1, 12) = keep*f12 + (even - odd)
          eu = ux - uy; even = r2*(rest + 4.5_dp*eu*eu); odd = 3.0_dp*r2*eu
          b(i + 1, j - 1, k, 13) = keep*f13 + (even + odd)
          b(i - 1, j + 1, k, 14) = keep*f14 + (even - odd)
          eu = ux - uz; even = r2*(rest + 4.5_dp*eu*eu); odd = 3.0_dp*r2*eu
          b(i + 1, j, k - 1, 15) = keep*f15 + (even + odd)
          b(i - 1, j, k + 1, 16) = keep*f16 + (even - odd)
          eu = uy - uz; even = r2*(rest + 4.5_dp*eu*eu); odd = 3.0_dp*r2*eu
          b(i, j + 1, k - 1, 17) = keep*f17 + (even + odd)
          b(i, j - 1, k + 1, 18) = keep*f18 + (even - odd)
        end do
      end do
    end do
  end subroutine collide_stream

  ! What identifies a state: the sum of the bits of density and velocity of all fluid cells, each
  ! times an odd number of its place in the whole box (with wraparound, so in any order); their
  ! total mass; and the largest speed.
  subroutine field_checksum(n, first, box, solid, f, bits, mass, speed)
    integer, intent(in) :: n(3), first(3), box(3)
    logical, intent(in) :: solid(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1)
    real(dp), intent(in) :: f(0:n(1) + 1, 0:top(n, 2), 0:top(n, 3), 0:18)
    integer(int64), intent(out) :: bits
    real(dp), intent(out) :: mass, speed
    real(dp) :: rho, u(3)
    integer(int64) :: place
    integer :: i, j, k, c

    bits = 0
    mass = 0.0_dp
    speed = 0.0_dp
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          if (solid(i, j, k)) cycle
          call moments(f(i, j, k, :), rho, u)
          place = first(1) + i + box(1)*(first(2) + j + int(box(2), int64)*(first(3) + k))
          bits = bits + (8*place + 1)*transfer(rho, bits)
          do c = 1, 3
            bits = bits + (8*place + 2*c + 1)*transfer(u(c), bits)
          end do
          mass = mass + rho
          speed = max(speed, norm2(u))
        end do
      end do
    end do
  end subroutine field_checksum

end module lattice_boltzmann_model
