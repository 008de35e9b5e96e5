! Heat in a rod on images, for clusters: image 1 prints the number of images and the bits of the rod.
program heat
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: n = 60
  real(real64) :: u(0:n+1)[*], new(n), total
  integer(int64) :: bits
  integer :: me, step, i, first, last
  me = this_image()
  first = (me - 1) * n / num_images() + 1          ! the cells of the rod that this image computes
  last = me * n / num_images()
  u = [(real(i * (n - i), real64) / n, i = 0, n + 1)]
  do step = 1, 200
    sync all
    if (me > 1) u(first)[me-1] = u(first)
    if (me < num_images()) u(last)[me+1] = u(last)
    sync all
    new(first:last) = u(first:last) + 0.24_real64 * &
      (u(first-1:last-1) - 2 * u(first:last) + u(first+1:last+1))
    u(first:last) = new(first:last)
  end do
  bits = 0
  do i = first, last
    bits = ieor(bits, ishftc(transfer(u(i), bits), i))
  end do
  call co_reduce(bits, different)
  total = sum(u(first:last))
  call co_sum(total)
  if (me == 1) print '(i0, 1x, z16.16, 1x, z16.16)', num_images(), bits, transfer(total, bits)

contains

  pure integer(int64) function different(one, other)
    integer(int64), intent(in) :: one, other
    different = ieor(one, other)
  end function
end program
