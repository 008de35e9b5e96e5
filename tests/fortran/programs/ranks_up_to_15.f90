! Arrays of many dimensions are put and got, whole and in part.
program ranks_up_to_15
  use expectations
  implicit none
  integer, save :: a(2, 3, 2, 2, 2, 2, 2)[*]
  integer, save :: e(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2)[*]
  integer :: b(2, 3, 2, 2, 2, 2, 2), c(2, 3, 2, 2, 2, 2, 2)
  integer :: f(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2)
  integer :: i

  a = reshape([(i, i=1, 192)], shape(a)) + 1000 * this_image()
  e = reshape([(i, i=1, 256)], shape(e)) + 1000 * this_image()
  c = reshape([(i, i=1, 192)], shape(a))
  sync all
  b = a(:, :, :, :, :, :, :)[next()]
  call expect(reshape(b, [192]), [(i, i=1, 192)] + 1000 * next(), "rank 7 got")
  b = 0
  b(:, 1, ::2, :, 2, :, :) = a(:, 2, 2:1:-2, 2:1:-1, 1, :, :)[next()]
  call expect(reshape(b(:, 1, ::2, :, 2, :, :), [16]), &
              reshape(c(:, 2, 2:1:-2, 2:1:-1, 1, :, :), [16]) + 1000 * next(), "part of rank 7 got")
  f = e(:, :, :, :, :, :, :, :, :, :, :, :, :, :)[next()]
  call expect(reshape(f, [256]), [(i, i=1, 256)] + 1000 * next(), "rank 14 got")
  sync all
  a(2:1:-1, 3:1:-1, :, :, :, :, 2:1:-1)[next()] = c
  e(:, :, :, :, :, :, :, :, :, :, :, :, 2:1:-1, :)[next()] = f
  sync all
  call expect(reshape(a(2:1:-1, 3:1:-1, :, :, :, :, 2:1:-1), [192]), [(i, i=1, 192)], "rank 7 put")
  call expect(reshape(e(:, :, :, :, :, :, :, :, :, :, :, :, 2:1:-1, :), [256]), &
              [(i, i=1, 256)] + 1000 * this_image(), "rank 14 put")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
