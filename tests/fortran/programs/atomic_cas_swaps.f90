! ATOMIC_CAS swaps only what is as expected, and returns what was there.
program atomic_cas_swaps
  use expectations
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer(atomic_int_kind), save :: a[*] = 5, turn[*] = 0
  logical(atomic_logical_kind), save :: l[*] = .false.
  integer(atomic_int_kind) :: old
  logical(atomic_logical_kind) :: was
  integer :: stat, wins, i

  call atomic_cas(a[next()], old, 4, 9)
  call expect(old, 5, "old without a swap")
  sync all
  call expect(a, 5, "value without a swap")
  sync all
  call atomic_cas(a[next()], old, 5, 9, stat)
  call expect(old, 5, "old with a swap")
  call expect(stat, 0, "stat")
  sync all
  call expect(a, 9, "value with a swap")
  call atomic_cas(l[next()], was, .true., .false.)
  call expect(was, .false., "logical, old without a swap")
  call atomic_cas(l[next()], was, .false., .true.)
  call expect(was, .false., "logical, old with a swap")
  sync all
  call expect(l, .true., "logical")

  ! All add to one counter by swapping.
  wins = 0
  old = 0
  do while (wins < 200)
    i = old
    call atomic_cas(turn[1], old, i, i + 1)
    if (old == i) then
      wins = wins + 1
      old = i + 1
    end if
  end do
  sync all
  call expect(turn[1], 200 * num_images(), "counter")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
