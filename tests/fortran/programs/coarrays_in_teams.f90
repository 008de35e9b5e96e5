! In a team [i] is the i-th image of it, for old coarrays and for those allocated there.
program coarrays_in_teams
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: me, n, first, i, round
  integer, save :: old(2)[*]
  integer, allocatable :: own(:)[:]

  me = this_image()
  n = num_images()
  ! The first half, and the second one, of another size where n is odd.
  first = merge(0, (n + 1) / 2, me <= (n + 1) / 2)
  form team (merge(10, 20, first == 0), half)
  do round = 1, 5
    old = [me, -me]
    sync all
    change team (half)
      do i = 1, num_images()
        call expect(old(:)[i], [i + first, -i - first], "old coarray got")
      end do
      sync all
      old(2)[next()] = 100 * me
      sync all
      call expect(old(2), 100 * (previous() + first), "old coarray put")
      allocate (own(team_number())[*])
      own = me
      sync all
      call expect(own(team_number())[next()], next() + first, "coarray of the team got")
      sync all
      own(1)[next()] = -me
      sync all
      call expect(own(1), -(previous() + first), "coarray of the team put")
      deallocate (own)
    end team
  end do
  if (me == 1) print '(a)', "ok"
end program
