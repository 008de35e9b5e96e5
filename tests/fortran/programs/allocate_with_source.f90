! ALLOCATE with SOURCE fills the part of each image with its own values.
program allocate_with_source
  use expectations
  implicit none
  integer, allocatable :: a(:)[:], b[:], c(:, :)[:]
  integer :: i

  allocate (a(4)[*], source=[1, 2, 3, 4])
  allocate (b[*], source=10 * this_image())
  allocate (c(2, 3)[*], source=this_image())
  sync all
  do i = 1, num_images()
    call expect(a(:)[i], [1, 2, 3, 4], "array")
    call expect(b[i], 10 * i, "scalar")
    call expect(sum(c(:, :)[i]), 6 * i, "array from a scalar")
  end do
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
