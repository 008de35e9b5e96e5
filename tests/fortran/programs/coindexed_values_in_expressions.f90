! Values of other images stand wherever an expression may: WHERE, arguments, PRINT, loops.
program coindexed_values_in_expressions
  use expectations
  implicit none
  integer, save :: a(4)[*], n[*]
  character(5), save :: c[*]
  integer :: b(4), i, n1, total
  character(20) :: text

  a = [1, 2, 3, 4] * this_image()
  n = 10 * this_image()
  c = "ab" // achar(48 + this_image())
  sync all
  b = 0
  where (a(:)[next()] > next()) b = next() * [1, 2, 3, 4]
  call expect(b, [0, 2, 3, 4] * next(), "where")
  total = 0
  do i = 1, n[next()] / next()
    total = total + 1
  end do
  call expect(total, 10, "bound of a loop")
  n1 = next()
  do concurrent (i=1:4)
    b(i) = a(5 - i)[n1]
  end do
  call expect(b, [4, 3, 2, 1] * next(), "do concurrent")
  call expect(maxval(a(2:3)[next()]) + n[next()], 13 * next(), "argument of an intrinsic")
  call expect(twice(n[next()]), 20 * next(), "argument of a function")
  call expect(total_of(a(1:4:3)[next()]), 5 * next(), "section as an argument")
  write (text, '(i0, 1x, a)') a(4)[next()], c[next()]
  call expect(text, trim(itoa(4 * next()) // " ab" // achar(48 + next()) // repeat(" ", 20)) // &
              repeat(" ", 20 - 4 - len(itoa(4 * next()))), "written")
  if (c[next()] == "ab" // achar(48 + next())) total = -1
  call expect(total, -1, "comparison of characters")
  select case (a(a(1)[this_image()] / this_image())[next()])
  case default
    total = a(1)[next()] * merge(1, 2, n[next()] > 0)
  end select
  call expect(total, next(), "merge")
  b = [a(1)[next()], n[next()], a(2:3)[next()]]
  call expect(b, [1, 10, 2, 3] * next(), "array constructor")
  b(a(1)[this_image()] / this_image()) = -5
  call expect(b(1), -5, "subscript")
  call expect(a(n[next()] / (5 * next()))[next()], 2 * next(), "subscript of a coindexed one")
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function

  integer function total_of(x)
    integer, intent(in) :: x(:)
    total_of = sum(x)
  end function

  function itoa(i) result(t)
    integer, intent(in) :: i
    character(:), allocatable :: t
    character(10) :: buffer
    write (buffer, '(i0)') i
    t = trim(buffer)
  end function
end program
