! images: 2
! exit: any
! STAT in an image selector tells that the image has failed.
program failed_image_in_image_selectors
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer, save :: a(3)[*] = 1
  integer :: stat, b(3), last

  last = num_images()
  if (this_image() == last) fail image
  sync all (stat=stat)
  stat = 0
  b = a(:)[last, stat=stat]
  call expect(stat, stat_failed_image, "stat of a get")
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"
end program
