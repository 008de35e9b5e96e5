! images: 2
! SYNC ALL and SYNC IMAGES with a stopped image give STAT_STOPPED_IMAGE; nothing hangs.
program stopped_image_gives_stat
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: stat, last, i
  integer, allocatable :: stopped(:)
  character(40) :: message

  last = num_images()
  stopped = stopped_images()
  call expect(size(stopped), 0, "stopped images at the start")
  sync all
  if (this_image() == last) stop
  message = "unchanged"
  stat = 0
  sync all (stat=stat, errmsg=message)
  call expect(stat, stat_stopped_image, "stat of sync all")
  call expect(message(:9) /= "unchanged", .true., "errmsg of sync all")
  stat = 0
  sync images ([last], stat=stat)
  call expect(stat, stat_stopped_image, "stat of sync images")
  stopped = stopped_images()
  call expect(stopped, [last], "stopped images")
  call expect(image_status(last), stat_stopped_image, "status")
  stopped = failed_images()
  call expect(size(stopped), 0, "failed images")
  stat = 0
  call co_sum(last, stat=stat)
  call expect(stat, stat_stopped_image, "stat of co_sum")
  ! Nobody ends, and so counts as stopped, before all have looked.
  sync images ([(i, i=1, num_images() - 1)])
  if (this_image() == 1) print '(a)', "ok"
end program
