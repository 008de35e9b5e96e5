! images: 2
! exit: any
! Atomics and events of a failed image give STAT_FAILED_IMAGE.
program failed_image_in_atomics_and_events
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image, atomic_int_kind, event_type
  implicit none
  integer(atomic_int_kind), save :: n[*] = 0
  integer(atomic_int_kind) :: old
  type(event_type), save :: event[*]
  integer :: stat, last

  last = num_images()
  if (this_image() == last) fail image
  sync all (stat=stat)
  stat = 0
  call atomic_define(n[last], 1, stat)
  call expect(stat, stat_failed_image, "stat of atomic_define")
  stat = 0
  call atomic_fetch_add(n[last], 1, old, stat)
  call expect(stat, stat_failed_image, "stat of atomic_fetch_add")
  stat = 0
  call atomic_ref(old, n[last], stat)
  call expect(stat, stat_failed_image, "stat of atomic_ref")
  stat = 0
  event post (event[last], stat=stat)
  call expect(stat, stat_failed_image, "stat of event post")
  if (this_image() == 1) print '(a)', "ok"
end program
