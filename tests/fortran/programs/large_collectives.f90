! Collectives of arrays larger than any buffer are right in every element.
program large_collectives
  use expectations
  implicit none
  integer, parameter :: n = 700001
  real(8), allocatable :: x(:)
  integer, allocatable :: k(:, :)
  integer :: i, s

  s = num_images() * (num_images() + 1) / 2
  allocate (x(n), source=[(real(i, 8) * this_image(), i=1, n)])
  call co_sum(x)
  call expect(all(abs(x - [(real(i, 8) * s, i=1, n)]) < 1d-6), .true., "sum")
  allocate (k(1000, 601), source=this_image())
  call co_broadcast(k(:, ::2), num_images())
  call expect(all(k(:, ::2) == num_images()), .true., "broadcast of every other column")
  call expect(all(k(:, 2::2) == this_image()), .true., "columns between")
  k = this_image()
  call co_max(k(1::2, :), result_image=1)
  if (this_image() == 1) call expect(all(k(1::2, :) == num_images()), .true., "largest of rows")
  call expect(all(k(2::2, :) == this_image()), .true., "rows between")
  if (this_image() == 1) print '(a)', "ok"
end program
