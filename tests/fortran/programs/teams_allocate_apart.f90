! Sibling teams may allocate coarrays of different number and size, and one of them none at all.
! Afterwards coarrays lie at the same place in all images again.
program teams_allocate_apart
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: parity, inner
  integer, allocatable :: before(:)[:], own(:)[:], more(:)[:], last(:)[:], after(:)[:]
  integer :: i, round

  allocate (before(10)[*], last(10)[*])
  form team (mod(this_image(), 2) + 1, parity)
  do round = 1, 3
    if (mod(this_image(), 2) == 0) then
      change team (parity)
        do i = 1, 5
          allocate (own(1000 * i)[*])
          allocate (more(7 * i)[*])
          deallocate (own)
          allocate (own(3 * i)[*])
          own = i
          form team (mod(this_image(), 2) + 1, inner)
          sync all
          call expect(own(3 * i)[next()], i, "a coarray of a team")
          sync all
          deallocate (own, more)
        end do
        allocate (own(100)[*], more(5)[*])
      end team
    end if
    sync all
    allocate (after(20)[*])
    after = this_image()
    sync all
    after(20)[next()] = 100 * this_image()
    sync all
    call expect(after(19:20), [this_image(), 100 * previous()], "a coarray after the teams")
    deallocate (after, before)
    allocate (before(10 + round)[*])
    before = round
    sync all
    call expect(before(10)[next()], round, "a coarray allocated again")
    sync all
  end do
  deallocate (last)
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
