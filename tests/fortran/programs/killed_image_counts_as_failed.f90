! images: 2
! exit: any
! An image ended by a signal has failed for the others.
program killed_image_counts_as_failed
  use expectations
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  interface
    integer(c_int) function raise(signal) bind(c)
      import :: c_int
      integer(c_int), value :: signal
    end function
  end interface
  integer :: stat, last, start, now, rate
  integer(c_int) :: ignored

  last = num_images()
  sync all
  call system_clock(start, rate)
  if (this_image() == last) ignored = raise(9_c_int)
  stat = 0
  sync all (stat=stat)
  call system_clock(now)
  call expect(stat, stat_failed_image, "stat of sync all")
  call expect(now - start < 3 * rate, .true., "seen within three seconds")
  call expect(failed_images(), [last], "failed images")
  call expect(image_status(last), stat_failed_image, "status")
  ! Nobody ends, and so counts as stopped, before all have looked.
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"
end program
