! Halo exchange of the lattice Boltzmann program with coarray buffers: pack, put, sync, unpack.
!
! One of three modules of the same name; which one is compiled and linked chooses the style.
! Source: Sembritzki (2012), "Evaluation of the Coarray Fortran programming model on the example of
! a lattice Boltzmann code", section 5.5 and listing 5.4: only the receive buffers are coarrays.
! See lattice_boltzmann.f90 for how to build and run.
module lattice_boltzmann_exchange
  use, intrinsic :: iso_fortran_env, only: real64
  use lattice_boltzmann_blocks
  use lattice_boltzmann_images
  use lattice_boltzmann_model, only: top
  implicit none
  private
  public :: style, grids, start_images, stop_images, image_number, image_count
  public :: allocate_grids, exchange, wait_for_all, sum_bits, sum_real, max_real

  integer, parameter :: dp = real64
  character(*), parameter :: style = "buffered"

  real(dp), allocatable, target :: grids(:, :, :, :, :)   ! f(x, y, z, l) of two grids
  real(dp), allocatable :: send_buffer(:, :)
  real(dp), allocatable :: receive_buffer(:, :)[:]        ! from the low and from the high side

contains

  subroutine allocate_grids(b)
    type(block_type), intent(in) :: b
    integer :: largest, axis

    largest = maxval([(slice_size(b%cells, axis), axis=1, 3)])
    allocate (grids(0:b%cells(1) + 1, 0:top(b%cells, 2), 0:top(b%cells, 3), 0:18, 2))
    allocate (send_buffer(largest, 2))
    allocate (receive_buffer(largest, 2)[*])
  end subroutine allocate_grids

  ! Moves what grid g has in its halo to the neighbours: along x, then y, then z.
  subroutine exchange(b, g)
    type(block_type), intent(in) :: b
    integer, intent(in) :: g
    integer :: axis

    do axis = 1, 3
      call exchange_axis(b, axis, b%neighbour(:, axis), g)
    end do
  end subroutine exchange

  ! What goes to the high side arrives there in the buffer of the low side, and the reverse.
  subroutine exchange_axis(b, axis, neighbour, g)
    type(block_type), intent(in) :: b
    integer, intent(in) :: axis, neighbour(2), g
    integer :: side, other, length

    length = slice_size(b%cells, axis)
    do side = low, high
      if (neighbour(side) > 0) call pack_slice(b%cells, sent_slice(b%cells, axis, side), &
        grids(:, :, :, :, g), send_buffer(:, side))
    end do
    call sync_with(neighbour)
    do side = low, high
      other = low + high - side
      if (neighbour(side) > 0) &
        receive_buffer(1:length, other)[neighbour(side)] = send_buffer(1:length, side)
    end do
    call sync_with(neighbour)
    do side = low, high
      if (neighbour(side) > 0) call unpack_slice(b%cells, &
        received_slice(b%cells, axis, side), receive_buffer(:, side), grids(:, :, :, :, g))
    end do
  end subroutine exchange_axis

end module lattice_boltzmann_exchange
