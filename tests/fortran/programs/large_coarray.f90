! A coarray of 32 MiB an image is put and got whole.
program large_coarray
  use expectations
  implicit none
  integer, parameter :: n = 4 * 1024 * 1024
  real(8), allocatable :: a(:)[:]
  real(8), allocatable :: b(:)
  integer :: i

  allocate (a(n)[*], b(n))
  a = [(real(i, 8), i=1, n)]
  sync all
  b = a(:)[next()]
  call expect(b(n), real(n, 8), "last got")
  call expect(sum(b), n * (n + 1d0) / 2, "sum got")
  sync all
  a(:)[next()] = b + this_image()
  sync all
  call expect(a(1), 1d0 + previous(), "first put")
  call expect(a(n), real(n, 8) + previous(), "last put")
  deallocate (a)
  if (this_image() == 1) print '(a)', "ok"
end program
