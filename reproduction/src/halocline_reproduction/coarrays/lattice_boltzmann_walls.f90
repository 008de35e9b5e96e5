! Walls of the lattice Boltzmann box: halfway bounce-back from solid cells, and a moving lid.
!
! The list of links from a fluid cell into a solid one is made once.  After the kernel and the
! exchange each link returns what was pushed into the solid cell: f_opposite(fluid) = f_l(solid)
! - 6 w_l (c_l . u_wall), Ladd (1994).  This overwrites what came out of solid cells, of this
! block or (by the exchange) of a neighbour: so the walls have to come after the exchange.
module lattice_boltzmann_walls
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lattice_boltzmann_model, only: velocity, weight, opposite, top
  use lattice_boltzmann_blocks, only: block_type
  implicit none
  private
  public :: walls_type, make_walls, reflect

  integer, parameter :: dp = real64

  type walls_type
    integer(int64), allocatable :: to(:), from(:)   ! places in the grid, counted from 1
    real(dp), allocatable :: gain(:)                ! from the moving wall
    integer(int64), allocatable :: inside(:)        ! places of populations of solid cells
    real(dp), allocatable :: rest(:)                ! and their values at rest
    logical, allocatable :: solid(:, :, :)          ! with the halo
  end type walls_type

contains

  ! Solid are the cells outside the box along walled axes, and a ball in the middle of the box.
  ! The lid is the wall above the last layer in z; at its rim the side walls, which rest, win.
  subroutine make_walls(b, box, walled, radius, lid, w)
    type(block_type), intent(in) :: b
    integer, intent(in) :: box(3)
    logical, intent(in) :: walled(3)
    real(dp), intent(in) :: radius, lid
    type(walls_type), intent(out) :: w
    integer :: i, j, k

    allocate (w%solid(0:b%cells(1) + 1, 0:b%cells(2) + 1, 0:b%cells(3) + 1))
    do k = 0, b%cells(3) + 1
      do j = 0, b%cells(2) + 1
        do i = 0, b%cells(1) + 1
          w%solid(i, j, k) = is_solid(b%first + [i, j, k], box, walled, radius)
        end do
      end do
    end do
    call find_links(b, box, walled, lid, w)
    call find_inside(b, w)
  end subroutine make_walls

  pure logical function is_solid(place, box, walled, radius)
    integer, intent(in) :: place(3), box(3)
    logical, intent(in) :: walled(3)
    real(dp), intent(in) :: radius
    integer :: p(3)

    is_solid = any(walled .and. (place < 1 .or. place > box))
    p = modulo(place - 1, box) + 1
    if (radius > 0.0_dp) is_solid = is_solid .or. norm2(p - 0.5_dp*(box + 1)) < radius
  end function is_solid

  ! The links, population by population, so that both places run through memory in order.
  subroutine find_links(b, box, walled, lid, w)
    type(block_type), intent(in) :: b
    integer, intent(in) :: box(3)
    logical, intent(in) :: walled(3)
    real(dp), intent(in) :: lid
    type(walls_type), intent(inout) :: w
    integer(int64) :: number
    integer :: i, j, k, l, q(3), pass

    do pass = 1, 2
      number = 0
      do l = 1, 18
        do k = 1, b%cells(3)
          do j = 1, b%cells(2)
            do i = 1, b%cells(1)
              q = [i, j, k] + velocity(:, l)
              if (w%solid(i, j, k) .or. .not. w%solid(q(1), q(2), q(3))) cycle
              number = number + 1
              if (pass == 1) cycle
              w%to(number) = place_in_grid(b%cells, [i, j, k], opposite(l))
              w%from(number) = place_in_grid(b%cells, q, l)
              w%gain(number) = lid_gain(l, b%first + q, box, walled, lid)
            end do
          end do
        end do
      end do
      if (pass == 1) allocate (w%to(number), w%from(number), w%gain(number))
    end do
  end subroutine find_links

  ! What a link into the solid cell at this place of the box gains from the lid, which goes in x.
  pure real(dp) function lid_gain(l, place, box, walled, lid)
    integer, intent(in) :: l, place(3), box(3)
    logical, intent(in) :: walled(3)
    real(dp), intent(in) :: lid
    logical :: side

    side = any(walled(:2) .and. (place(:2) < 1 .or. place(:2) > box(:2)))
    lid_gain = 0.0_dp
    if (walled(3) .and. place(3) > box(3) .and. .not. side) &
      lid_gain = -6.0_dp*weight(l)*velocity(1, l)*lid
  end function lid_gain

  ! The populations of solid cells of this block: they are put to rest, to stay finite.
  subroutine find_inside(b, w)
    type(block_type), intent(in) :: b
    type(walls_type), intent(inout) :: w
    integer(int64) :: number
    integer :: i, j, k, l

    associate (n => b%cells)
      number = 19_int64*count(w%solid(1:n(1), 1:n(2), 1:n(3)))
      allocate (w%inside(number), w%rest(number))
      number = 0
      do l = 0, 18
        do k = 1, n(3)
          do j = 1, n(2)
            do i = 1, n(1)
              if (.not. w%solid(i, j, k)) cycle
              number = number + 1
              w%inside(number) = place_in_grid(n, [i, j, k], l)
              w%rest(number) = weight(l)
            end do
          end do
        end do
      end do
    end associate
  end subroutine find_inside

  pure integer(int64) function place_in_grid(n, cell, l)
    integer, intent(in) :: n(3), cell(3), l

    place_in_grid = 1 + cell(1) + int(n(1) + 2, int64)*(cell(2) + (top(n, 2) + 1) &
      *(cell(3) + int(top(n, 3) + 1, int64)*l))
  end function place_in_grid

  ! The boundary pass: bounce back along all links, then put the solid cells to rest.
  subroutine reflect(w, f)
    type(walls_type), intent(in) :: w
    real(dp), intent(inout) :: f(*)
    integer(int64) :: m

    do m = 1, size(w%to, kind=int64)
      f(w%to(m)) = f(w%from(m)) + w%gain(m)
    end do
    do m = 1, size(w%inside, kind=int64)
      f(w%inside(m)) = w%rest(m)
    end do
  end subroutine reflect

end module lattice_boltzmann_walls
