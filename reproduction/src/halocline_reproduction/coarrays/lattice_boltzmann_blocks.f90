! The Cartesian decomposition of the lattice Boltzmann box: blocks, neighbours, boundary slices.
!
! Every image has one block of the same size, with one ring of halo cells.  The kernel pushes
! populations that leave the block into the halo.  The exchange moves each such slice of the halo
! into the first layer of the neighbour, axis by axis; what goes to a diagonal neighbour travels
! in two steps.  Five of the 19 populations cross each face.
module lattice_boltzmann_blocks
  use, intrinsic :: iso_fortran_env, only: real64
  use lattice_boltzmann_model, only: velocity, top
  implicit none
  private
  public :: block_type, slice_type, make_block, sent_slice, received_slice, slice_size
  public :: pack_slice, unpack_slice, low, high

  integer, parameter :: dp = real64
  integer, parameter :: low = 1, high = 2

  type block_type
    integer :: cells(3)          ! of one block, without the halo
    integer :: blocks(3)         ! in each direction
    integer :: first(3)          ! cells of the box before this block
    integer :: neighbour(2, 3)   ! image to the low and the high side along each axis, or 0
  end type block_type

  ! The cells from(1):to(1), ... of the five populations links.
  type slice_type
    integer :: from(3), to(3), links(5)
  end type slice_type

contains

  ! The block of one image (counted from 1) in a box of cells; blocks(1) varies fastest.
  pure function make_block(box, blocks, periodic, image) result(b)
    integer, intent(in) :: box(3), blocks(3), image
    logical, intent(in) :: periodic(3)
    type(block_type) :: b
    integer :: place(3)

    place(1) = modulo(image - 1, blocks(1))
    place(2) = modulo((image - 1)/blocks(1), blocks(2))
    place(3) = (image - 1)/(blocks(1)*blocks(2))
    b%blocks = blocks
    b%cells = box/blocks
    b%first = place*b%cells
    b%neighbour = neighbours(place, blocks, periodic)
  end function make_block

  pure function neighbours(place, blocks, periodic) result(image)
    integer, intent(in) :: place(3), blocks(3)
    logical, intent(in) :: periodic(3)
    integer :: image(2, 3), side, axis, p(3)

    do axis = 1, 3
      do side = low, high
        p = place
        p(axis) = p(axis) + merge(-1, 1, side == low)
        if (periodic(axis)) p(axis) = modulo(p(axis), blocks(axis))
        if (p(axis) < 0 .or. p(axis) >= blocks(axis)) then
          image(side, axis) = 0
        else
          image(side, axis) = 1 + p(1) + blocks(1)*(p(2) + blocks(2)*p(3))
        end if
      end do
    end do
  end function neighbours

  ! The slice of the halo that goes to the neighbour at this side.
  pure function sent_slice(n, axis, side) result(s)
    integer, intent(in) :: n(3), axis, side
    type(slice_type) :: s

    s = slice(n, axis, layer=merge(0, n(axis) + 1, side == low), direction=side)
  end function sent_slice

  ! Where a block puts what comes from the neighbour at this side: its own first or last layer.
  pure function received_slice(n, axis, side) result(s)
    integer, intent(in) :: n(3), axis, side
    type(slice_type) :: s

    s = slice(n, axis, layer=merge(1, n(axis), side == low), direction=low + high - side)
  end function received_slice

  ! Slices are complete along later axes: the halo there still has to travel on.
  pure function slice(n, axis, layer, direction) result(s)
    integer, intent(in) :: n(3), axis, layer, direction
    type(slice_type) :: s
    integer :: l

    s%from(:axis) = 1
    s%from(axis + 1:) = 0
    s%to(:axis) = n(:axis)
    s%to(axis + 1:) = n(axis + 1:) + 1
    s%from(axis) = layer
    s%to(axis) = layer
    s%links = pack([(l, l=0, 18)], velocity(axis, :) == merge(-1, 1, direction == low))
  end function slice

  pure integer function slice_size(n, axis)
    integer, intent(in) :: n(3), axis
    type(slice_type) :: s

    s = sent_slice(n, axis, low)
    slice_size = 5*product(s%to - s%from + 1)
  end function slice_size

  ! Copies a slice of the grid f into a buffer ("copy_cells" of the thesis).
  subroutine pack_slice(n, s, f, buffer)
    integer, intent(in) :: n(3)
    type(slice_type), intent(in) :: s
    real(dp), intent(in) :: f(0:n(1) + 1, 0:top(n, 2), 0:top(n, 3), 0:18)
    real(dp), intent(out) :: buffer(*)
    integer :: i, j, k, m, at

    at = 0
    do m = 1, 5
      do k = s%from(3), s%to(3)
        do j = s%from(2), s%to(2)
          do i = s%from(1), s%to(1)
            buffer(at + i - s%from(1) + 1) = f(i, j, k, s%links(m))
          end do
          at = at + s%to(1) - s%from(1) + 1
        end do
      end do
    end do
  end subroutine pack_slice

  ! Copies a buffer into a slice of the grid f ("paste_cells" of the thesis).
  subroutine unpack_slice(n, s, buffer, f)
    integer, intent(in) :: n(3)
    type(slice_type), intent(in) :: s
    real(dp), intent(in) :: buffer(*)
    real(dp), intent(inout) :: f(0:n(1) + 1, 0:top(n, 2), 0:top(n, 3), 0:18)
    integer :: i, j, k, m, at

    at = 0
    do m = 1, 5
      do k = s%from(3), s%to(3)
        do j = s%from(2), s%to(2)
          do i = s%from(1), s%to(1)
            f(i, j, k, s%links(m)) = buffer(at + i - s%from(1) + 1)
          end do
          at = at + s%to(1) - s%from(1) + 1
        end do
      end do
    end do
  end subroutine unpack_slice

end module lattice_boltzmann_blocks
