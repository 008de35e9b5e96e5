! A scalar fills a whole array or a section of another image.
program scalar_into_sections
  use expectations
  implicit none
  integer, save :: a(10)[*], m(3, 4)[*], s[*]
  real(8), save :: r(5)[*]
  character(4), save :: c(3)[*]
  complex, save :: z(2, 2)[*]
  integer :: me, i

  me = this_image()
  a = 0
  m = 0
  r = 0
  z = 0
  s = 1000 + me
  sync all
  a(:)[next()] = me
  sync all
  call expect(a, [(previous(), i=1, 10)], "whole")
  sync all
  a(9:1:-3)[next()] = -1
  a([2, 4])[next()] = -2
  m(:, 2:4:2)[next()] = me
  r(2:3)[next()] = 7
  c(:)[next()] = "xy"
  c(2)[next()] = "longer"
  z(1, :)[next()] = 2
  sync all
  call expect(a, [previous(), -2, -1, -2, previous(), -1, previous(), previous(), -1, previous()], &
              "sections")
  call expect(reshape(m, [12]), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1] * previous(), "matrix")
  call expect(r, [0d0, 7d0, 7d0, 0d0, 0d0], "integer into real")
  call expect(c(1) // c(2) // c(3), "xy  longxy  ", "character")
  call expect(real(sum(z), 8), 4d0, "complex")
  sync all
  a(1:3)[previous()] = s[next()]
  sync all
  i = merge(1, next() + 1, next() == num_images())
  call expect(a(1:3), [1000 + i, 1000 + i, 1000 + i], "scalar of a third image")
  sync all
  if (me == 1) print '(a)', "ok"
end program
