! Components, nested ones and sections across an array of structures, of another image.
program plain_components
  use expectations
  implicit none
  type :: point
    real(8) :: x, y
    integer :: tags(4)
    character(4) :: name
  end type
  type :: shape
    type(point) :: centre, corners(3)
    integer :: n
  end type
  type(point), save :: p(5)[*]
  type(shape), save :: s[*]
  real(8) :: b(5)
  integer :: k(4), me, i

  me = this_image()
  p%x = [1, 2, 3, 4, 5] + 10 * me
  p%y = -p%x
  p%name = "none"
  do i = 1, 4
    p%tags(i) = i * me
  end do
  s%n = me
  s%centre = p(1)
  s%corners = p(1:3)
  sync all
  call expect(s[next()]%n, next(), "component got")
  call expect(s[next()]%centre%y, -1d0 - 10 * next(), "nested component got")
  call expect(s[next()]%corners(2)%x, 2d0 + 10 * next(), "component of an element got")
  b = p(:)[next()]%x
  call expect(b, [1d0, 2d0, 3d0, 4d0, 5d0] + 10 * next(), "component across an array got")
  b(1:2) = p(5:1:-3)[next()]%x
  call expect(b(1:2), [5d0, 2d0] + 10 * next(), "component across a section got")
  b(1:3) = s[next()]%corners(:)%x
  call expect(b(1:3), [1d0, 2d0, 3d0] + 10 * next(), "across an array component got")
  k = p(3)[next()]%tags
  call expect(k, [1, 2, 3, 4] * next(), "array component got")
  k(1:2) = p(3)[next()]%tags(4:1:-2)
  call expect(k(1:2), [4, 2] * next(), "section of a component got")
  sync all
  s[next()]%n = -me
  s[next()]%centre%x = 0.5d0
  s[next()]%corners(3)%name = "longer"
  s[next()]%corners(3:1:-1)%x = [7d0, 8d0, 9d0]
  p(2)[next()]%tags = [9, 8, 7, 6]
  p(4)[next()]%tags(1:3:2) = [me, -me]
  p(::2)[next()]%x = 1
  p(5)[next()]%tags(2) = 42
  p(3)[next()]%name = "a"
  sync all
  call expect(s%n, -previous(), "component put")
  call expect(s%centre%x, 0.5d0, "nested component put")
  call expect(s%centre%y, -1d0 - 10 * me, "beside a nested component")
  call expect(s%corners(3)%name, "long", "character component put")
  call expect(s%corners%x, [9d0, 8d0, 7d0], "component across an array put")
  call expect(p(2)%tags, [9, 8, 7, 6], "array component put")
  call expect(p(4)%tags, [previous(), 2 * me, -previous(), 4 * me], "section of a component put")
  call expect(p%x, [1d0, 2d0 + 10 * me, 1d0, 4d0 + 10 * me, 1d0], "component of a section put")
  call expect(p(5)%tags(2), 42, "element of a component put")
  call expect(p(3)%name // p(4)%name, "a   none", "characters of an element")
  sync all
  s[next()]%centre = p(2)[previous()]
  p(1)[next()]%tags(:) = p(2)[previous()]%tags(4:1:-1)
  sync all
  call expect(s%centre%tags, [9, 8, 7, 6], "structure between other images")
  call expect(p(1)%tags, [6, 7, 8, 9], "component between other images")
  sync all
  if (me == 1) print '(a)', "ok"
end program
