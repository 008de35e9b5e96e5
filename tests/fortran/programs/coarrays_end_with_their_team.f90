! What is allocated in a team and not deallocated there ends with it.
program coarrays_end_with_their_team
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: parity
  integer, allocatable :: own(:)[:]
  integer :: i

  form team (mod(this_image(), 2) + 1, parity)
  do i = 1, 3
    change team (parity)
      call expect(allocated(own), .false., "allocated at the start of the team")
      allocate (own(10)[*])
      own = i
    end team
    call expect(allocated(own), .false., "allocated after the team")
  end do
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
