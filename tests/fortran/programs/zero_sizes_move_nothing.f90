! Arrays and sections without elements are allowed everywhere.
program zero_sizes_move_nothing
  use expectations
  implicit none
  integer, allocatable :: none(:)[:], flat(:, :)[:]
  integer, save :: a(5)[*] = 7
  character(0), save :: empty(3)[*]
  integer :: b(5), v(0), n

  n = 0
  allocate (none(n)[*], flat(3, n)[*])
  call expect(size(none), 0, "size")
  b = 3
  none(:)[next()] = none
  none = none(:)[next()]
  flat(:, :)[next()] = flat(:, :)[previous()]
  a(3:2)[next()] = b(1:0)
  b(5:4) = a(2:1)[next()]
  a(v)[next()] = b(1:0)
  a(4:5:-1)[next()] = 9
  a(3:2)[next()] = a(1:0)[previous()]
  empty(:)[next()] = "text"
  sync all
  call expect(a, [7, 7, 7, 7, 7], "array beside empty sections")
  call expect(b, [3, 3, 3, 3, 3], "local array beside empty sections")
  call co_sum(none)
  call co_broadcast(none, 1)
  call co_max(b(2:1))
  deallocate (none, flat)
  if (this_image() == 1) print '(a)', "ok"
end program
