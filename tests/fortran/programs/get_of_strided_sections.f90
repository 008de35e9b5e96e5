! Sections with any strides are got from where they belong.
program get_of_strided_sections
  use expectations
  implicit none
  real(8), save :: a(12)[*]
  integer, save :: m(5, 6)[*]
  integer :: n(5, 6), e(5, 6), i
  real(8) :: b(12), c(12)

  a = [(i, i=1, 12)] + 0.5d0 * this_image()
  m = reshape([(i, i=1, 30)], [5, 6]) + 100 * this_image()
  c = [(i, i=1, 12)] + 0.5d0 * next()
  e = reshape([(i, i=1, 30)], [5, 6]) + 100 * next()
  sync all
  b = a(:)[next()]
  call expect(b, c, "whole")
  b(1:4) = a(2:12:3)[next()]
  call expect(b(1:4), c(2:12:3), "stride 3")
  b = a(12:1:-1)[next()]
  call expect(b, c(12:1:-1), "stride -1")
  b = 0
  b(11:1:-5) = a(3:7:2)[next()]
  call expect(b(11:1:-5), c(3:7:2), "strides -5 and 2")
  call expect(sum(b), sum(c(3:7:2)), "beside strides -5 and 2")
  call expect(a(4)[next()], c(4), "element")
  n = m(5:1:-1, 6:1:-1)[next()]
  call expect(reshape(n, [30]), reshape(e(5:1:-1, 6:1:-1), [30]), "turned")
  n = 0
  n(2:5:3, 1:6:2) = m(1:2, 6:1:-2)[next()]
  call expect(reshape(n(2:5:3, 1:6:2), [6]), reshape(e(1:2, 6:1:-2), [6]), "both dimensions")
  call expect(sum(n), sum(e(1:2, 6:1:-2)), "beside both dimensions")
  n(:, 1) = m(3, 1:5)[next()]
  call expect(n(:, 1), e(3, 1:5), "row into a column")
  n(2, 1:5) = m(:, 6)[next()]
  call expect(n(2, 1:5), e(:, 6), "column into a row")
  call expect(maxval(m(:, 2)[next()]), e(5, 2), "as an argument")
  n = transpose(reshape(m(:, :)[next()], [6, 5]))
  call expect(reshape(n, [30]), reshape(transpose(reshape(e, [6, 5])), [30]), "transposed")
  n(:, 2:3) = 2 * m(:, 1:2)[next()] - m(:, 5:6)[previous()] + m(:, 3:4)
  call expect(n(2, 3), 2 * 7 - 27 + 17 + 100 * (2 * next() - previous() + this_image()), &
              "three in an expression")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
