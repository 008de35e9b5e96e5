! What programs find that 'use opencoarrays': names of the compiler, and procedures of this library.
! There is nothing to link.
module opencoarrays
  use, intrinsic :: iso_fortran_env, only: team_type
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  private
  public :: co_broadcast, co_max, co_min, co_reduce, co_sum, num_images, this_image
  public :: error_stop, get_communicator, sync_all, team_number

  intrinsic :: co_broadcast, co_max, co_min, co_reduce, co_sum, num_images, this_image, team_number

  ! A team is a variable, or its address.
  interface team_number
    integer function halocline_caf_team_number(team)
      import :: c_ptr
      type(c_ptr), intent(in) :: team
    end function
  end interface

  ! The team's communicator, for MPI; all images of the team call this.
  interface get_communicator
    integer function halocline_caf_communicator(team)
      import :: team_type
      type(team_type), intent(in), optional :: team
    end function
    integer function halocline_caf_communicator_at(team)
      import :: c_ptr
      type(c_ptr), intent(in) :: team
    end function
  end interface

  interface sync_all
    subroutine halocline_caf_sync_all(stat, errmsg)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
  end interface

  interface error_stop
    subroutine halocline_caf_error_stop(code)
      integer, intent(in), optional :: code
    end subroutine
  end interface
end module
