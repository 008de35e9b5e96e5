! Components that are coarrays live and end beside each other without touching.
program coarray_components
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:)[:], b[:], c(:, :)[:], d(:)[:], e[:], f(:)[:, :]
  end type
  type(box) :: x
  integer :: me

  me = this_image()
  allocate (x%a(3)[*], x%b[*], x%c(2, 2)[*], x%d(0)[*], x%e[*], x%f(5)[1, *])
  x%a = me
  x%b = 10 * me
  x%c = 100 * me
  x%e = 1000 * me
  x%f = -me
  sync all
  call expect(x%a(2)[next()], next(), "array")
  call expect(x%b[next()], 10 * next(), "scalar")
  call expect(x%c(2, 1)[next()], 100 * next(), "matrix")
  call expect(x%e[next()], 1000 * next(), "second scalar")
  call expect(x%f(5)[1, next()], -next(), "two codimensions")
  sync all
  deallocate (x%b, x%d)
  allocate (x%b[*], x%d(9)[*])
  x%b = 7
  x%d = 8
  sync all
  x%d(4)[next()] = 80 + me
  sync all
  call expect(x%a(2)[next()], next(), "array after others came anew")
  call expect(x%b[next()], 7, "allocated anew")
  call expect(x%d, [8, 8, 8, 80 + previous(), 8, 8, 8, 8, 8], "put to what came anew")
  call expect(x%e[next()], 1000 * next(), "scalar after others came anew")
  sync all
  if (me == 1) print '(a)', "ok"
end program
