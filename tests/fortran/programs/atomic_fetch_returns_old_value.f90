! ATOMIC_FETCH_* return the value before, and do what their name says.
program atomic_fetch_returns_old_value
  use expectations
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind), save :: a[*], v(3)[*]
  integer(atomic_int_kind) :: old
  integer :: stat

  a = 12
  v = [1, 2, 3]
  sync all
  call atomic_fetch_add(a[next()], 3, old)
  call expect(old, 12, "fetch_add, old")
  sync all
  call expect(a, 15, "fetch_add")
  sync all
  call atomic_fetch_and(a[next()], 10, old, stat)
  call expect(old, 15, "fetch_and, old")
  call expect(stat, 0, "fetch_and, stat")
  sync all
  call expect(a, 10, "fetch_and")
  sync all
  call atomic_fetch_or(a[next()], 5, old)
  call expect(old, 10, "fetch_or, old")
  sync all
  call expect(a, 15, "fetch_or")
  sync all
  call atomic_fetch_xor(a[next()], 6, old)
  call expect(old, 15, "fetch_xor, old")
  sync all
  call expect(a, 9, "fetch_xor")
  sync all
  call atomic_fetch_add(v(2)[next()], -5, old)
  call expect(old, 2, "fetch_add of an element, old")
  sync all
  call expect(v, [1, -3, 3], "fetch_add of an element")
  call atomic_fetch_add(a, 1, old)
  call expect(old, 9, "fetch_add of the own one, old")
  call expect(a, 10, "fetch_add of the own one")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
