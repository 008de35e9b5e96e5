! The right side is read before the left one is written, also where both are one array.
program overlapping_sections_on_one_image
  use expectations
  implicit none
  integer, save :: a(10)[*], m(4, 4)[*]
  integer :: e(10), n(4, 4), i, me, t

  me = this_image()
  do t = 1, 2
    ! First each image in its own memory, then in that of the next image.
    i = merge(me, next(), t == 1)
    call fill()
    a(10:2:-1) = a(9:1:-1)[me]
    e(10:2:-1) = e(9:1:-1)
    call compare("get, downwards")
    a(2:10) = a(1:9)[me]
    e(2:10) = e(1:9)
    call compare("get, upwards")
    a(:) = a(10:1:-1)[me]
    e = e(10:1:-1)
    call compare("get, turned")
    a(2:10)[i] = a(1:9)[i]
    e(2:10) = e(1:9)
    call compare("both, upwards")
    a(1:9)[i] = a(2:10)[i]
    e(1:9) = e(2:10)
    call compare("both, downwards")
    a(10:1:-1)[i] = a(:)[i]
    e(10:1:-1) = e
    call compare("both, turned")
    a(1:10:2)[i] = a(1:5)[i]
    e(1:10:2) = e(1:5)
    call compare("both, spread")
    a([2, 3, 4, 1])[i] = a([1, 2, 3, 4])[i]
    e([2, 3, 4, 1]) = e([1, 2, 3, 4])
    call compare("both, vector subscripts")
    a(:)[i] = a(4)[i]
    e = e(4)
    call compare("both, scalar")
    a(2:10)[me] = a(1:9)
    e(2:10) = e(1:9)
    call compare("put, upwards")
    a(10:2:-1)[me] = a(9:1:-1)
    e(10:2:-1) = e(9:1:-1)
    call compare("put, strides -1")
    a(:)[me] = a(10:1:-1)
    e = e(10:1:-1)
    call compare("put, turned")
    m(2:4, :)[i] = m(1:3, :)[i]
    n(2:4, :) = n(1:3, :)
    call compare("rows")
    m(:, 2:4)[i] = m(:, 1:3)[i]
    n(:, 2:4) = n(:, 1:3)
    call compare("columns")
    m(:, 1)[i] = m(1, :)[i]
    n(:, 1) = n(1, :)
    call compare("row into a column")
    m = transpose(m(:, :)[me])
    n = transpose(n)
    call compare("transposed")
  end do
  if (me == 1) print '(a)', "ok"

contains

  subroutine fill()
    integer :: k
    e = [(k * k, k=1, 10)]
    n = reshape([(k * k, k=1, 16)], [4, 4])
    a = e
    m = n
    sync all
  end subroutine

  subroutine compare(what)
    character(*), intent(in) :: what
    sync all
    call expect(a, e, what)
    call expect(reshape(m, [16]), reshape(n, [16]), what)
    call fill()
  end subroutine
end program
