! A third image moves components between two others.
program components_between_other_images
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:)
    real(8), allocatable :: x(:)
    integer :: n
  end type
  type(box), save :: b[*]
  integer, save :: plain(4)[*] = 0
  integer :: i, from

  b%n = this_image()
  allocate (b%a(4), source=[(10 * i + this_image(), i=1, 4)])
  allocate (b%x(4), source=0d0)
  sync all
  b[previous()]%x(1:2) = b[next()]%a(3:4)
  plain(4:1:-1)[previous()] = b[next()]%a(:)
  b[previous()]%x(4) = b[next()]%n
  sync all
  ! This image is the previous one of the next, which read from its own next.
  from = merge(1, next() + 1, next() == num_images())
  call expect(b%x, [30d0 + from, 40d0 + from, 0d0, real(from, 8)], "into an allocatable")
  call expect(plain, [40, 30, 20, 10] + from, "into a plain coarray")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
