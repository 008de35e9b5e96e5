! A local array takes the shape of what is got; an owner's component moves and is found again.
program own_components_are_reallocated
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:)
  end type
  type(box), save :: b[*]
  integer, allocatable :: k(:)
  integer :: i, round, n

  do round = 1, 30
    n = mod(7 * round + 3 * this_image(), 11) + 1
    b%a = [(i + 100 * round, i=1, n)]
    sync all
    k = b[next()]%a
    n = mod(7 * round + 3 * next(), 11) + 1
    call expect(k, [(i + 100 * round, i=1, n)], "got after the owner assigned another shape")
    sync all
  end do
  do round = 1, 100
    if (allocated(b%a)) deallocate (b%a)
    allocate (b%a(10 * round))
    b%a(10 * round) = round + this_image()
    sync all
    call expect(b[next()]%a(10 * round), round + next(), "got after allocate")
    sync all
  end do
  if (this_image() == 1) print '(a)', "ok"
end program
