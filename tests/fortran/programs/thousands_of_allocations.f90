! Coarrays of many sizes come and go; memory is used again and holds what was put.
program thousands_of_allocations
  use expectations
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:]
  real(8), allocatable :: big(:)[:]
  integer :: round, n

  do round = 1, 600
    n = mod(round * 37, 500) + 1
    allocate (a(n)[*])
    allocate (b(2 * n)[*])
    a = -1
    b = -2
    sync all
    a(n)[next()] = round
    b(1)[next()] = round + 1
    sync all
    call expect(a(n), round, "last of the first")
    call expect(b(1), round + 1, "first of the second")
    if (n > 1) call expect(a(1), -1, "first of the first")
    call expect(b(2 * n), -2, "last of the second")
    if (mod(round, 2) == 0) then
      deallocate (a, b)
    else
      deallocate (b, a)
    end if
  end do
  ! Together more than memory, were it not given back.
  do round = 1, 40
    allocate (big(1000000)[*])
    big(1000000) = round
    sync all
    call expect(big(1000000)[next()], real(round, 8), "last of the big one")
    deallocate (big)
  end do
  if (this_image() == 1) print '(a)', "ok"
end program
