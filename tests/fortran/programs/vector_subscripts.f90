! Vector subscripts of each integer kind, repeated or in any order, select what they say.
program vector_subscripts
  use expectations
  implicit none
  integer, save :: a(9)[*], m(4, 5)[*]
  integer :: b(9), e(9), n(4, 5), i
  integer(1) :: v1(3)
  integer(2) :: v2(3)
  integer(4) :: v4(3)
  integer(8) :: v8(3)

  v1 = [7_1, 2_1, 9_1]
  v2 = [7_2, 2_2, 9_2]
  v4 = [7, 2, 9]
  v8 = [7_8, 2_8, 9_8]
  a = [(10 * i, i=1, 9)] + this_image()
  m = reshape([(i, i=1, 20)], [4, 5]) + 100 * this_image()
  sync all
  b(1:3) = a(v1)[next()]
  call expect(b(1:3), [70, 20, 90] + next(), "got by kind 1")
  b(1:3) = a(v2)[next()]
  call expect(b(1:3), [70, 20, 90] + next(), "got by kind 2")
  b(1:3) = a(v4)[next()]
  call expect(b(1:3), [70, 20, 90] + next(), "got by kind 4")
  b(1:3) = a(v8)[next()]
  call expect(b(1:3), [70, 20, 90] + next(), "got by kind 8")
  b(1:4) = a([3, 3, 1, 3])[next()]
  call expect(b(1:4), [30, 30, 10, 30] + next(), "got repeatedly")
  b(9:1:-4) = a(v4)[next()]
  call expect(b(9:1:-4), [70, 20, 90] + next(), "got into a stride")
  b(v4) = a(1:3)[next()]
  call expect(b(v4), [10, 20, 30] + next(), "got into a vector subscript")
  n(1:3, 1:2) = m([4, 1, 2], 5:1:-4)[next()]
  call expect(reshape(n(1:3, 1:2), [6]), [20, 17, 18, 4, 1, 2] + 100 * next(), "vector and stride")
  n(1:2, 1:3) = m(2:3, [5, 1, 3])[next()]
  call expect(reshape(n(1:2, 1:3), [6]), [18, 19, 2, 3, 10, 11] + 100 * next(), &
              "range and vector")
  n(1:2, 1:2) = m([3, 1], [4, 2])[next()]
  call expect(reshape(n(1:2, 1:2), [4]), [15, 13, 7, 5] + 100 * next(), "two vectors")
  n(1, 1:3) = m(3, [1, 5, 2])[next()]
  call expect(n(1, 1:3), [3, 19, 7] + 100 * next(), "element and vector")
  sync all

  e = 0
  a = 0
  sync all
  a(v1)[next()] = [1, 2, 3]
  e(v1) = [1, 2, 3]
  sync all
  call expect(a, e, "put by kind 1")
  sync all
  a(v2)[next()] = [4, 5, 6]
  e(v2) = [4, 5, 6]
  sync all
  call expect(a, e, "put by kind 2")
  sync all
  a(v4)[next()] = [7, 8, 9]
  e(v4) = [7, 8, 9]
  sync all
  call expect(a, e, "put by kind 4")
  sync all
  a(v8)[next()] = e(3:1:-1)
  e(v8) = e(3:1:-1)
  sync all
  call expect(a, e, "put by kind 8")
  m = 0
  n = 0
  sync all
  m([4, 1], [5, 2, 3])[next()] = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  n([4, 1], [5, 2, 3]) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  m(2, [4, 1])[next()] = -1
  n(2, [4, 1]) = -1
  m([3, 2], 5)[next()] = [8, 9]
  n([3, 2], 5) = [8, 9]
  sync all
  call expect(reshape(m, [20]), reshape(n, [20]), "put by vectors in two dimensions")
  if (this_image() == 1) print '(a)', "ok"
end program
