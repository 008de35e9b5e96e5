! SYNC IMAGES, locks, events, atomics and critical sections in a team mean its images.
program sync_in_teams
  use expectations
  use, intrinsic :: iso_fortran_env, only: team_type, event_type, lock_type, atomic_int_kind
  implicit none
  type(team_type) :: parity
  type(event_type), save :: event[*]
  type(lock_type), save :: latch[*]
  integer(atomic_int_kind), save :: n[*] = 0
  integer, save :: m[*] = 0, a[*] = 0
  integer :: i

  form team (mod(this_image(), 2) + 1, parity)
  change team (parity)
    do i = 1, 50
      sync images (*)
      a[next()] = i
      event post (event[next()])
      event wait (event)
      call expect(a, i, "put before a post")
      call atomic_add(n[1], 1)
      lock (latch[1])
      m[1] = m[1] + 1
      unlock (latch[1])
      if (next() == previous()) then
        sync images (next())
      else
        sync images ([previous(), next()])
      end if
    end do
    sync all
    call expect(n[1], 50 * num_images(), "atomic counter of the team")
    call expect(m[1], 50 * num_images(), "counter under a lock of the team")
    sync all
  end team
  if (this_image() == 1) print '(a)', "ok"
end program
