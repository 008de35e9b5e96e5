! Coarrays passed to procedures address the same memory: whole, by shape, by subobject.
program coarray_dummies
  use expectations
  implicit none
  integer, save :: a(4, 6)[*]
  integer, allocatable :: c(:)[:]
  type :: pair
    integer :: left, right(3)
  end type
  type(pair), save :: p[*], q(5)[*]

  a = this_image()
  sync all
  call explicit(a, 24)
  call shaped(a)
  call element(a(2, 3))
  call sequence(a(1, 2), 4)
  call component(p%left)
  call column(p%right)
  call component(q(3)%left)
  call column(q(4)%right)
  call make(c, 7)
  call expect(size(c), 7, "size of what a procedure allocated")
  call expect(c(7)[next()], 70 + next(), "value of what a procedure allocated")
  call optional_one()
  call optional_one(c)
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine explicit(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(n)[*]
    x(5)[next()] = 500 + this_image()
    sync all
    call expect(a(1, 2), 500 + previous(), "explicit shape")
    call expect(a(2, 2), this_image(), "beside explicit shape")
    sync all
  end subroutine

  subroutine shaped(x)
    integer, intent(inout) :: x(0:, 0:)[0:*]
    x(3, 5)[next() - 1] = 600 + this_image()
    sync all
    call expect(a(4, 6), 600 + previous(), "assumed shape, cobounds from 0")
    sync all
  end subroutine

  subroutine element(x)
    integer, intent(inout) :: x[*]
    x[next()] = 700 + this_image()
    sync all
    call expect(a(2, 3), 700 + previous(), "element")
    call expect(x[next()], 700 + this_image(), "element got")
    sync all
  end subroutine

  subroutine sequence(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(n)[*]
    x(2:n:2)[next()] = [801, 802]
    sync all
    call expect(a(:, 2), [500 + previous(), 801, this_image(), 802], "array at an element")
    sync all
  end subroutine

  subroutine component(x)
    integer, intent(inout) :: x[*]
    x = 0
    sync all
    x[next()] = this_image()
    sync all
    call expect(x, previous(), "component")
    call expect(x[next()], this_image(), "component got")
    sync all
  end subroutine

  subroutine column(x)
    integer, intent(inout) :: x(3)[*]
    x = 0
    sync all
    x(3:1:-1)[next()] = [1, 2, 3] * this_image()
    sync all
    call expect(x, [3, 2, 1] * previous(), "array component")
    sync all
  end subroutine

  subroutine make(x, n)
    integer, allocatable, intent(inout) :: x(:)[:]
    integer, intent(in) :: n
    allocate (x(n)[*], source=10 * n + this_image())
  end subroutine

  subroutine optional_one(x)
    integer, optional, intent(inout) :: x(:)[*]
    if (.not. present(x)) return
    x(1)[next()] = 5
    sync all
    call expect(x(1), 5, "optional")
  end subroutine
end program
