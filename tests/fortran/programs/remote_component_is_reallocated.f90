! Assigning a whole array to an allocatable component of another image gives it that shape.
program remote_component_is_reallocated
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:), m(:, :)
  end type
  type(box), save :: b[*]
  integer :: n, i, round

  b%a = [1, 2]
  do round = 1, 20
    n = 3 + mod(5 * round, 7) + this_image()
    sync all
    b[next()]%a = [(i * round, i=1, n)]
    sync all
    n = 3 + mod(5 * round, 7) + previous()
    call expect(size(b%a), n, "size after a put of another shape")
    call expect(b%a, [(i * round, i=1, n)], "values after a put of another shape")
  end do
  sync all
  ! The owner goes on to use it as its own.
  b%a = [b%a, 5]
  call expect(b%a(n + 1), 5, "lengthened by the owner")
  deallocate (b%a)
  sync all
  b[next()]%a = [1, 2, 3]
  sync all
  call expect(b%a, [1, 2, 3], "put into what was not allocated")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
