! images: 2
! exit: any
! SYNC ALL with a failed image gives STAT_FAILED_IMAGE, at once and also where others wait already.
program failed_image_in_sync_all
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: stat, last, i, start, now, rate
  integer, allocatable :: failed(:)
  character(40) :: message

  last = num_images()
  call expect(image_status(last), 0, "status at the start")
  failed = failed_images()
  call expect(size(failed), 0, "failed images at the start")
  sync all
  if (this_image() == last) then
    call pause_for(0.2d0)
    fail image
  end if
  call system_clock(start, rate)
  message = "unchanged"
  stat = 0
  sync all (stat=stat, errmsg=message)
  call system_clock(now)
  call expect(stat, stat_failed_image, "stat of sync all")
  call expect(message(:9) /= "unchanged", .true., "errmsg of sync all")
  call expect(now - start < 3 * rate, .true., "seen within three seconds")
  do i = 1, 20
    stat = 0
    sync all (stat=stat)
    call expect(stat, stat_failed_image, "stat of a later sync all")
  end do
  call expect(image_status(last), stat_failed_image, "status of the failed image")
  call expect(image_status(this_image()), 0, "status of this image")
  failed = failed_images()
  call expect(failed, [last], "failed images")
  failed = stopped_images()
  call expect(size(failed), 0, "stopped images")
  ! Nobody ends, and so counts as stopped, before all have looked.
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine pause_for(seconds)
    real(8), intent(in) :: seconds
    integer(8) :: from, to, per_second
    call system_clock(from, per_second)
    to = from
    do while (to - from < seconds * per_second)
      call system_clock(to)
    end do
  end subroutine
end program
