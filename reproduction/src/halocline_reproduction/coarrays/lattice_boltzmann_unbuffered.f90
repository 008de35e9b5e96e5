! Halo exchange of the lattice Boltzmann program without buffers: sections put to the neighbour.
!
! One of three modules of the same name; which one is compiled and linked chooses the style.
! Source: Sembritzki (2012), "Evaluation of the Coarray Fortran programming model on the example of
! a lattice Boltzmann code", section 5.6 and listing 5.5.  The grids are coarrays.  The sender works
! out where a slice of its halo belongs in the grid of the neighbour.  Where the thesis has one
! assignment with a vector subscript for the five populations, here each is an assignment: then
! the section has constant strides.  See lattice_boltzmann.f90 for how to build and run.
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
  character(*), parameter :: style = "unbuffered"

  real(dp), allocatable, target :: grids(:, :, :, :, :)[:]   ! f(x, y, z, l) of two grids

contains

  subroutine allocate_grids(b)
    type(block_type), intent(in) :: b

    allocate (grids(0:b%cells(1) + 1, 0:top(b%cells, 2), 0:top(b%cells, 3), 0:18, 2)[*])
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
    integer :: side

    call sync_with(neighbour)
    do side = low, high
      if (neighbour(side) > 0) call transmit_slice(sent_slice(b%cells, axis, side), &
        received_slice(b%cells, axis, low + high - side), neighbour(side), g)
    end do
    call sync_with(neighbour)
  end subroutine exchange_axis

  ! Puts the cells "here" of this block into the cells "there" of another; blocks are all alike.
  ! A periodic axis with one block is its own neighbour: then it is a plain assignment, because
  ! libcaf_single of gfortran 12 puts rank 3 sections with gaps to the wrong place.
  subroutine transmit_slice(here, there, image, g)
    type(slice_type), intent(in) :: here, there
    integer, intent(in) :: image, g
    integer :: m, l

    associate (a => here%from, b => here%to, c => there%from, d => there%to)
      do m = 1, 5
        l = here%links(m)
        if (image == this_image()) then
          grids(c(1):d(1), c(2):d(2), c(3):d(3), l, g) = &
            grids(a(1):b(1), a(2):b(2), a(3):b(3), l, g)
        else
          grids(c(1):d(1), c(2):d(2), c(3):d(3), l, g)[image] = &
            grids(a(1):b(1), a(2):b(2), a(3):b(3), l, g)
        end if
      end do
    end associate
  end subroutine transmit_slice

end module lattice_boltzmann_exchange
