! Sections with any strides are put where they belong, and nothing beside.
program put_of_strided_sections
  use expectations
  implicit none
  integer, save :: a(12)[*], m(5, 6)[*]
  integer :: b(12), n(5, 6), e(12), f(5, 6), i, j, me

  me = this_image()
  b = [(i, i=1, 12)] + 100 * me
  n = reshape([(i, i=1, 30)], [5, 6]) + 100 * me
  call clear()
  a(2:12:3)[next()] = b(1:4)
  e(2:12:3) = b(1:4)
  call compare("stride 3")
  a(12:1:-1)[next()] = b
  e(12:1:-1) = b
  call compare("stride -1 of the target")
  a(:)[next()] = b(12:1:-1)
  e = b(12:1:-1)
  call compare("stride -1 of the source")
  a(11:3:-4)[next()] = b(2:10:4)
  e(11:3:-4) = b(2:10:4)
  call compare("strides -4 and 4")
  m(2:5:3, 6:1:-2)[next()] = n(1:2, 1:6:2)
  f(2:5:3, 6:1:-2) = n(1:2, 1:6:2)
  call compare("both dimensions")
  m(:, 3)[next()] = n(4, 1:5)
  f(:, 3) = n(4, 1:5)
  call compare("a row into a column")
  m(4, :5)[next()] = n(5:1:-1, 2)
  m(4, 6)[next()] = 5
  f(4, :5) = n(5:1:-1, 2)
  f(4, 6) = 5
  call compare("a column into a row")
  m(1:5:4, :)[next()] = n(2:3, :)
  f(1:5:4, :) = n(2:3, :)
  call compare("rows")
  m(:, ::5)[next()] = -n(:, 2:3)
  f(:, ::5) = -n(:, 2:3)
  call compare("columns of an expression")
  do j = 1, 6
    do i = 1, 5
      m(i, j)[next()] = n(5 - i + 1, 6 - j + 1)
      f(i, j) = n(5 - i + 1, 6 - j + 1)
    end do
  end do
  call compare("element by element")
  if (me == 1) print '(a)', "ok"

contains

  subroutine clear()
    a = 0
    m = 0
    e = 0
    f = 0
    sync all
  end subroutine

  ! What the previous image put is what this one put, less the difference of their values.
  subroutine compare(what)
    character(*), intent(in) :: what
    integer :: by
    sync all
    by = 100 * (previous() - me)
    where (e > 5) e = e + by
    where (e < -5) e = e - by
    where (f > 5) f = f + by
    where (f < -5) f = f - by
    call expect(a, e, what)
    call expect(reshape(m, [30]), reshape(f, [30]), what)
    call clear()
  end subroutine
end program
