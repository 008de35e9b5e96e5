! A team divides again; each END TEAM goes one level up.
program nested_teams
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: outer, inner
  integer :: me, n, s, in_outer, mine

  me = this_image()
  n = num_images()
  form team (mod(me - 1, 2) + 1, outer)
  change team (outer)
    mine = num_images()
    in_outer = this_image()
    form team (mod(in_outer - 1, 2) + 7, inner)
    change team (inner)
      call expect(team_number(), mod(in_outer - 1, 2) + 7, "number of the inner team")
      call expect(this_image(), (in_outer + 1) / 2, "index in the inner team")
      s = 1
      call co_sum(s)
      call expect(s, num_images(), "sum of ones in the inner team")
      s = me
      call co_max(s)
      call expect(mod(s - me, 4), 0, "images of the inner team")
      sync all
    end team
    call expect(team_number(), mod(me - 1, 2) + 1, "number back in the outer team")
    call expect(num_images(), mine, "images back in the outer team")
    s = 1
    call co_sum(s)
    call expect(s, mine, "sum of ones in the outer team")
  end team
  s = 1
  call co_sum(s)
  call expect(s, n, "sum of ones of all")
  if (me == 1) print '(a)', "ok"
end program
