! images: 3
! exit: any
! With a stopped and a failed image, SYNC ALL gives one of their values.
program stopped_and_failed_images
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, stat_failed_image
  implicit none
  integer :: stat, n, i

  n = num_images()
  if (this_image() == n) fail image
  if (this_image() == n - 1) stop
  do while (image_status(n) /= stat_failed_image .or. image_status(n - 1) /= stat_stopped_image)
  end do
  stat = 0
  sync all (stat=stat)
  call expect(stat, stat_stopped_image, "a stopped image goes before a failed one")
  call expect(failed_images(), [n], "failed images")
  call expect(stopped_images(), [n - 1], "stopped images")
  ! Nobody ends, and so counts as stopped, before all have looked.
  sync images ([(i, i=1, num_images() - 2)])
  if (this_image() == 1) print '(a)', "ok"
end program
