! images: 2
! exit: any
! A collective with a failed image gives STAT_FAILED_IMAGE and does not hang.
program failed_image_in_collectives
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: stat, last, a
  real(8) :: x(20000)
  character(:), allocatable :: message

  last = num_images()
  if (this_image() == last) fail image
  a = 1
  stat = 0
  message = repeat("unchanged ", 5)
  call co_sum(a, stat=stat, errmsg=message)
  call expect(stat, stat_failed_image, "stat of co_sum")
  call expect(message(:9) /= "unchanged", .true., "errmsg of co_sum")
  x = 1
  stat = 0
  call co_max(x, stat=stat)
  call expect(stat, stat_failed_image, "stat of co_max")
  stat = 0
  call co_min(a, result_image=1, stat=stat)
  call expect(stat, stat_failed_image, "stat of co_min at one image")
  stat = 0
  call co_broadcast(x, 1, stat=stat)
  call expect(stat, stat_failed_image, "stat of co_broadcast")
  stat = 0
  call co_broadcast(a, last, stat=stat)
  call expect(stat, stat_failed_image, "stat of co_broadcast from the failed image")
  if (this_image() == 1) print '(a)', "ok"
end program
