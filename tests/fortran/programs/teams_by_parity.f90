! In a team images are numbered anew; CHANGE TEAM and END TEAM go in and out.
program teams_by_parity
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: parity
  integer :: me, n, mine, s, i
  integer, save :: a[*]

  me = this_image()
  n = num_images()
  call expect(team_number(), -1, "number of the initial team")
  a = me
  form team (mod(me, 2) + 1, parity)
  call expect(team_number(), -1, "number after form team")
  call expect(num_images(), n, "images after form team")
  mine = merge((n + 1) / 2, n / 2, mod(me, 2) == 1)
  do i = 1, 3
    change team (parity)
      call expect(team_number(), mod(me, 2) + 1, "number in the team")
      call expect(team_number(parity), mod(me, 2) + 1, "number of the team, by its variable")
      call expect(num_images(), mine, "images in the team")
      call expect(this_image(), (me + 1) / 2, "index in the team")
      sync all
      s = this_image()
      call co_sum(s)
      call expect(s, mine * (mine + 1) / 2, "sum in the team")
      s = me
      call co_broadcast(s, mine)
      call expect(s, 2 * mine - mod(me, 2), "broadcast in the team")
      sync team (parity)
    end team
    call expect(this_image(), me, "index after the team")
    call expect(num_images(), n, "images after the team")
    call expect(team_number(), -1, "number after the team")
  end do
  sync team (parity)
  sync all
  call expect(a[next()], next(), "coarray of all images")
  sync all
  if (me == 1) print '(a)', "ok"
end program
