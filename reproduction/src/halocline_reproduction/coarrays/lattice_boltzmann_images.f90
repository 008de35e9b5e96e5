! What both styles of the lattice Boltzmann program with coarrays have in common: which image this
! is, waiting for neighbours, and sums over all images.
! See lattice_boltzmann.f90 for how to build and run.
module lattice_boltzmann_images
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use arguments, only: unique_images
  implicit none
  private
  public :: start_images, stop_images, image_number, image_count
  public :: wait_for_all, sync_with, sum_bits, sum_real, max_real

  integer, parameter :: dp = real64

contains

  subroutine start_images()   ! The run time library has done it.
  end subroutine start_images

  subroutine stop_images()
  end subroutine stop_images

  integer function image_number()
    image_number = this_image()
  end function image_number

  integer function image_count()
    image_count = num_images()
  end function image_count

  subroutine wait_for_all()
    sync all
  end subroutine wait_for_all

  ! Waits for the images at both sides, if there are any besides this one.
  subroutine sync_with(neighbour)
    integer, intent(in) :: neighbour(2)

    associate (list => unique_images(pack(neighbour, neighbour > 0)))
      if (size(list) > 0) sync images (list)
    end associate
  end subroutine sync_with

  integer(int64) function sum_bits(value)
    integer(int64), intent(in) :: value

    sum_bits = value
    call co_sum(sum_bits)
  end function sum_bits

  real(dp) function sum_real(value)
    real(dp), intent(in) :: value

    sum_real = value
    call co_sum(sum_real)
  end function sum_real

  real(dp) function max_real(value)
    real(dp), intent(in) :: value

    max_real = value
    call co_max(max_real)
  end function max_real

end module lattice_boltzmann_images
