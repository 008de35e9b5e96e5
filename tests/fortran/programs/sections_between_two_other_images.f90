! A third image may move sections from one image to another.
program sections_between_two_other_images
  use expectations
  implicit none
  integer, save :: a(10)[*], b(4, 5)[*]
  real(8), save :: r(10)[*]
  integer :: i, from, to

  a = [(i, i=1, 10)] + 100 * this_image()
  b = 0
  r = 0
  sync all
  from = next()
  to = previous()
  b(2, :)[to] = a(9:1:-2)[from]
  b(4:3:-1, 1)[to] = a([7, 3])[from]
  r(10:1:-3)[to] = a(1:4)[from]
  r(2)[to] = a(5)[from]
  sync all
  from = next_of(next())
  i = 100 * from
  call expect(b(2, :), [9, 7, 5, 3, 1] + i, "strided")
  call expect(b(3:4, 1), [3, 7] + i, "vector subscript")
  call expect(r, [4 + i, 5 + i, 0, 3 + i, 0, 0, 2 + i, 0, 0, 1 + i] * 1d0, "converted")
  call expect(sum(b), 25 + 10 + 7 * i, "beside")
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  integer function next_of(i)
    integer, intent(in) :: i
    next_of = merge(1, i + 1, i == num_images())
  end function
end program
