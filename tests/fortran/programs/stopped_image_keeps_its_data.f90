! images: 2
! The coarrays of an image that stopped remain for the others until all end.
program stopped_image_keeps_its_data
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer, save :: a(3)[*]
  integer, allocatable :: b(:)[:]
  integer :: last

  last = num_images()
  a = this_image()
  allocate (b(2)[*], source=10 * this_image())
  sync all
  if (this_image() == last) stop
  do while (image_status(last) /= stat_stopped_image)
  end do
  call expect(a(2:3)[last], [last, last], "static coarray got")
  call expect(b(:)[last], [10, 10] * last, "allocated coarray got")
  if (this_image() == 1) a(1)[last] = 7
  if (this_image() == 1) call expect(a(1)[last], 7, "put and got back")
  if (this_image() == 1) print '(a)', "ok"
end program
