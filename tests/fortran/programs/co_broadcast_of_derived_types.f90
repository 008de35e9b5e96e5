! CO_BROADCAST hands on structures and their sections.
program co_broadcast_of_derived_types
  use expectations
  implicit none
  type :: inner
    character(3) :: name
    real(8) :: x(2)
  end type
  type :: outer
    integer(1) :: tag
    type(inner) :: in(2)
    logical :: l
  end type
  type(outer) :: a, v(5)
  integer :: me, n, i

  me = this_image()
  n = num_images()
  a = made(me)
  call co_broadcast(a, n)
  call expect(int(a%tag), n, "component")
  call expect(a%in(2)%name, "in" // achar(48 + n), "nested component")
  call expect(a%in(1)%x, [1d0, 2d0] * n, "nested array")
  v = [(made(10 * me + i), i=1, 5)]
  call co_broadcast(v(4:1:-2), 1)
  call expect(int(v%tag), [1, 0, 1, 0, 1] * 10 * me + [0, 10, 0, 10, 0] + [1, 2, 3, 4, 5], &
              "section")
  call co_broadcast(v, 1)
  call expect(int(v%tag), [11, 12, 13, 14, 15], "array")
  call expect(v(5)%in(2)%x, [15d0, 30d0], "nested array of an element")
  if (me == 1) print '(a)', "ok"

contains

  type(outer) function made(k)
    integer, intent(in) :: k
    made%tag = int(k, 1)
    made%in%name = "in" // achar(48 + mod(k, 10))
    made%in(1)%x = [1d0, 2d0] * k
    made%in(2)%x = [1d0, 2d0] * k
    made%l = .true.
  end function
end program
