! Subscripts count from the lower bound of the array, whatever it is.
program vector_subscripts_with_lower_bounds
  use expectations
  implicit none
  integer, save :: a(-2:3)[*], m(0:2, 5:8)[*]
  integer, allocatable :: c(:)[:]
  type :: box
    integer, allocatable :: x(:)
  end type
  type(box), save :: b[*]
  integer :: k(3), i

  allocate (c(7:11)[*])
  allocate (b%x(-4:4))
  a = [(i, i=-2, 3)] * this_image()
  c = [(i, i=7, 11)] * this_image()
  b%x = [(i, i=-4, 4)] * this_image()
  m = reshape([(i, i=1, 12)], [3, 4])
  sync all
  k = a([-2, 3, 0])[next()]
  call expect(k, [-2, 3, 0] * next(), "static")
  k = c([11, 7, 8])[next()]
  call expect(k, [11, 7, 8] * next(), "allocatable")
  k = b[next()]%x([-4, 4, 1])
  call expect(k, [-4, 4, 1] * next(), "component by a vector")
  k = b[next()]%x(-3:1:2)
  call expect(k, [-3, -1, 1] * next(), "component by a stride")
  k(1) = b[next()]%x(-2)
  call expect(k(1), -2 * next(), "element of a component")
  k = b[next()]%x(:-2)
  call expect(k, [-4, -3, -2] * next(), "component with an open start")
  k = b[next()]%x(2:)
  call expect(k, [2, 3, 4] * next(), "component with an open end")
  k = m(1, [8, 5, 6])[next()]
  call expect(k, [11, 2, 5], "row of a matrix")
  sync all
  a([3, -2])[next()] = [50, 60]
  c([7, 9])[next()] = -1
  b[next()]%x([4, -4]) = [5, 6]
  m([2, 0], 7)[next()] = [70, 80]
  sync all
  call expect(a([-2, 3]), [60, 50], "put, static")
  call expect(c([7, 9]), [-1, -1], "put, allocatable")
  call expect(b%x([-4, 4]), [6, 5], "put, component")
  call expect(m(:, 7), [80, 8, 70], "put, matrix")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
