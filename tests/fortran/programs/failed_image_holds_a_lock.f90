! images: 2
! exit: any
! A lock held by a failed image becomes free; a lock on a failed image gives its STAT.
program failed_image_holds_a_lock
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image, lock_type
  implicit none
  type(lock_type), save :: held[*]
  integer, save :: n[*] = 0
  integer :: stat, last, i

  last = num_images()
  if (this_image() == last) lock (held[1])
  sync all
  if (this_image() == last) fail image
  do i = 1, 10
    lock (held[1], stat=stat)
    n[1] = n[1] + 1
    unlock (held[1], stat=stat)
    call expect(stat, 0, "unlock of what a failed image held")
  end do
  sync all (stat=stat)
  call expect(stat, stat_failed_image, "stat of sync all")
  call expect(n[1], 10 * (last - 1), "counter under the lock")
  stat = 0
  lock (held[last], stat=stat)
  call expect(stat, stat_failed_image, "lock on a failed image")
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"
end program
