! Locking what one holds, and unlocking what one does not hold, give their STAT values.
program lock_states_give_stat
  use expectations
  use, intrinsic :: iso_fortran_env, only: lock_type, stat_locked, stat_locked_other_image
  implicit none
  type(lock_type), save :: a[*], b(2)[*]
  integer :: stat, me
  character(40) :: message
  logical :: got

  me = this_image()
  message = "unchanged"
  stat = -1
  lock (a, stat=stat, errmsg=message)
  call expect(stat, 0, "lock")
  call expect(message(:9), "unchanged", "errmsg without an error")
  lock (a, stat=stat, errmsg=message)
  call expect(stat, stat_locked, "lock of what is held")
  call expect(message(:9) /= "unchanged", .true., "errmsg of what is held")
  got = .true.
  lock (a, acquired_lock=got, stat=stat)
  call expect(stat, stat_locked, "lock of what is held, with acquired_lock")
  sync all
  if (num_images() > 1) then
    got = .true.
    lock (a[next()], acquired_lock=got, stat=stat)
    call expect(got, .false., "acquired_lock of what another image holds")
    call expect(stat, 0, "stat with acquired_lock of what another image holds")
    unlock (a[next()], stat=stat, errmsg=message)
    call expect(stat, stat_locked_other_image, "unlock of what another image holds")
  end if
  sync all
  unlock (a, stat=stat)
  call expect(stat, 0, "unlock")
  unlock (a, stat=stat, errmsg=message)
  ! stat_unlocked is 0 in this compiler, and 0 says that there was no error.
  call expect(stat /= 0, .true., "unlock of what nobody holds")
  sync all
  got = .false.
  lock (b(2)[next()], acquired_lock=got)
  call expect(got, .true., "acquired_lock of a free one")
  unlock (b(1)[next()], stat=stat)
  call expect(stat /= 0, .true., "unlock of the element beside")
  unlock (b(2)[next()])
  sync all
  if (me == 1) print '(a)', "ok"
end program
