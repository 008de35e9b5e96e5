! What an image says to several teams in turn stays apart, though it has one place for all.
program collectives_of_teams_in_turn
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: parity, all_again
  integer, parameter :: n = 40000
  integer :: i, members, total
  real(8) :: x(n), other(n)

  do i = 1, 20
    form team (mod(this_image(), 2) + 1, parity)
    form team (1, all_again)
    x = i * this_image()
    call co_sum(x)
    total = num_images() * (num_images() + 1) / 2
    change team (parity)
      other = i
      call co_sum(other)
      members = num_images()
      other = other + this_image()
      call co_broadcast(other, num_images())
    end team
    call expect(all(x == i * total), .true., "sum of all images")
    call expect(all(other == i * members + members), .true., "sum and broadcast of a team")
    change team (all_again)
      call co_max(x)
      if (this_image() == num_images()) x = -i
      call co_broadcast(x, num_images())
    end team
    call expect(all(x == -i), .true., "broadcast of another team of all images")
  end do
  if (this_image() == 1) print '(a)', "ok"
end program
