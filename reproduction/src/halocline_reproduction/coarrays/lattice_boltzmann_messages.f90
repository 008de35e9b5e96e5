! Halo exchange of the lattice Boltzmann program with MPI: packed buffers, Isend and Irecv.
!
! One of three modules of the same name; which one is compiled and linked chooses the style.
! Source: Sembritzki (2012), "Evaluation of the Coarray Fortran programming model on the example of
! a lattice Boltzmann code", section 5.4 and listing 5.3; both grids and buffers are plain arrays.
! See lattice_boltzmann.f90 for how to build and run.
module lattice_boltzmann_exchange
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lattice_boltzmann_blocks
  use lattice_boltzmann_model, only: top
  use messages
  implicit none
  private
  public :: style, grids, start_images, stop_images, image_number, image_count
  public :: allocate_grids, exchange, wait_for_all, sum_bits, sum_real, max_real

  integer, parameter :: dp = real64
  character(*), parameter :: style = "messages"

  real(dp), allocatable, target :: grids(:, :, :, :, :)   ! f(x, y, z, l) of two grids
  real(dp), allocatable, asynchronous :: send_buffer(:, :), receive_buffer(:, :)

contains

  subroutine start_images()
    call messages_start()
  end subroutine start_images

  subroutine stop_images()
    call messages_stop()
  end subroutine stop_images

  integer function image_number()
    image_number = messages_rank() + 1
  end function image_number

  integer function image_count()
    image_count = messages_size()
  end function image_count

  subroutine wait_for_all()
    call messages_barrier()
  end subroutine wait_for_all

  subroutine allocate_grids(b)
    type(block_type), intent(in) :: b
    integer :: largest, axis

    largest = maxval([(slice_size(b%cells, axis), axis=1, 3)])
    allocate (grids(0:b%cells(1) + 1, 0:top(b%cells, 2), 0:top(b%cells, 3), 0:18, 2))
    allocate (send_buffer(largest, 2), receive_buffer(largest, 2))
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

  subroutine exchange_axis(b, axis, neighbour, g)
    type(block_type), intent(in) :: b
    integer, intent(in) :: axis, neighbour(2), g
    integer :: side, length

    length = slice_size(b%cells, axis)
    do side = low, high   ! the tag is the direction of travel
      if (neighbour(side) > 0) call messages_receive(receive_buffer(:, side), length, &
        neighbour(side) - 1, low + high - side)
    end do
    do side = low, high
      if (neighbour(side) == 0) cycle
      call pack_slice(b%cells, sent_slice(b%cells, axis, side), grids(:, :, :, :, g), &
        send_buffer(:, side))
      call messages_send(send_buffer(:, side), length, neighbour(side) - 1, side)
    end do
    call messages_wait()
    do side = low, high
      if (neighbour(side) > 0) call unpack_slice(b%cells, &
        received_slice(b%cells, axis, side), receive_buffer(:, side), grids(:, :, :, :, g))
    end do
  end subroutine exchange_axis

  integer(int64) function sum_bits(value)
    integer(int64), intent(in) :: value

    sum_bits = messages_sum_integer(value)
  end function sum_bits

  real(dp) function sum_real(value)
    real(dp), intent(in) :: value

    sum_real = messages_sum(value)
  end function sum_real

  real(dp) function max_real(value)
    real(dp), intent(in) :: value

    max_real = messages_max(value)
  end function max_real

end module lattice_boltzmann_exchange
