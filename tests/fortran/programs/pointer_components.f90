! What a pointer component of another image points to is read and written there.
program pointer_components
  use expectations
  implicit none
  type :: box
    integer, pointer :: a(:) => null(), s => null()
  end type
  type(box), save :: b[*]
  integer, allocatable, target :: t(:)[:]
  integer :: k(3), i

  allocate (t(6)[*])
  t = [(i, i=1, 6)] * this_image()
  b%a => t(1:6:2)
  b%s => t(6)
  sync all
  k = b[next()]%a(:)
  call expect(k, [1, 3, 5] * next(), "strided target got")
  call expect(b[next()]%s, 6 * next(), "scalar target got")
  call expect(b[next()]%a(2), 3 * next(), "element of a target got")
  sync all
  b[next()]%a(3:2:-1) = [10, 20]
  b[next()]%s = -1
  sync all
  call expect(t, [1 * this_image(), 2 * this_image(), 20, 4 * this_image(), 10, -1], "put")
  deallocate (t)
  if (this_image() == 1) print '(a)', "ok"
end program
