! Objects of derived types without pointers move as one value, alone and in sections.
program derived_types_move_whole
  use expectations
  implicit none
  type :: inner
    integer(1) :: i = 1
    real(8) :: r(2) = 2
  end type
  type :: outer
    character(3) :: c = "abc"
    type(inner) :: in(2)
    complex :: z = (1, 2)
  end type
  type, extends(outer) :: more
    logical :: l = .true.
  end type
  type(outer), save :: a[*], v(4)[*]
  type(more), save :: x[*]
  type(outer) :: b, w(4)
  integer :: i

  call expect(a[next()]%c, "abc", "default initial value")
  b%c = "xyz"
  b%in(2)%r = [7d0, 8d0]
  b%in(1)%i = int(this_image(), 1)
  sync all
  a[next()] = b
  sync all
  v(4:1:-2)[next()] = [b, outer()]
  sync all
  call expect(a%c, "xyz", "component of what was put")
  call expect(int(a%in(1)%i), previous(), "nested component of what was put")
  call expect(a%in(2)%r, [7d0, 8d0], "nested array of what was put")
  call expect(v(4)%c // v(2)%c // v(3)%c, "xyzabcabc", "section of derived type")
  w = v(4:1:-1)[next()]
  call expect(w(1)%c // w(2)%c // w(4)%c, "xyzabcabc", "section got")
  b = a[next()]
  call expect(int(b%in(1)%i), this_image(), "got what was put")
  w(3) = v(4)[next()]
  call expect(w(3)%in(2)%r, [7d0, 8d0], "element got")
  sync all
  x[next()] = more("new", [(inner(int(i, 1), [1d0, 2d0]), i=1, 2)], (0, 1), .false.)
  sync all
  call expect(x%c, "new", "component of the parent type")
  call expect(x%l, .false., "component of the extension")
  call expect(int(x%in(2)%i), 2, "nested component of the parent type")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
