! Components across an array whose type has allocatable components, at any place in the type.
program components_across_arrays_of_boxes
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:)
    integer :: first, second
    real(8) :: x(3)
  end type
  type(box), save :: b(4)[*]
  integer :: k(4), i
  real(8) :: x(3)

  do i = 1, 4
    b(i)%first = i * this_image()
    b(i)%second = -i * this_image()
    b(i)%x = [0.5d0, 1d0, 2d0] * i
    allocate (b(i)%a(i), source=100 * i + this_image())
  end do
  sync all
  k = b(:)[next()]%second
  call expect(k, [-1, -2, -3, -4] * next(), "component across an array")
  k(1:2) = b(4:1:-3)[next()]%first
  call expect(k(1:2), [4, 1] * next(), "component across a section")
  x = b(3)[next()]%x
  call expect(x, [1.5d0, 3d0, 6d0], "array component of an element")
  x(1:2) = b(3)[next()]%x(3:1:-2)
  call expect(x(1:2), [6d0, 1.5d0], "section of a component of an element")
  call expect(b(4)[next()]%a(2), 400 + next(), "element of an allocatable of an element")
  do i = 1, 4
    call expect(b(i)[next()]%a(i), 100 * i + next(), "allocatable of each element")
  end do
  sync all
  b(:)[next()]%second = [7, 8, 9, 10]
  b(2)[next()]%x(1:3:2) = [-1d0, -2d0]
  b(3)[next()]%first = 33
  sync all
  call expect(b%second, [7, 8, 9, 10], "put across an array")
  call expect(b(2)%x, [-1d0, 2d0, -2d0], "put into a section of a component")
  call expect(b%first, [1, 2, 0, 4] * this_image() + [0, 0, 33, 0], "put into an element")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
