! images: 2
! exit: any
! Also the first image may fail; the others find it and go on together.
program failed_first_image
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: stat, i
  integer, save :: a[*] = 0

  if (this_image() == 1) fail image
  stat = 0
  do while (stat /= stat_failed_image)
    sync all (stat=stat)
  end do
  a = this_image()
  sync all (stat=stat)
  do i = 2, num_images()
    call expect(a[i], i, "value of a survivor")
  end do
  call expect(failed_images(), [1], "failed images")
  sync all (stat=stat)
  if (this_image() == 2) print '(a)', "ok"
end program
