! MOVE_ALLOC hands a coarray over: the new name addresses what other images hold.
program move_alloc_of_coarrays
  use expectations
  implicit none
  integer, allocatable :: from(:)[:], to(:)[:]

  allocate (from(3)[*])
  from = [1, 2, 3] * this_image()
  call move_alloc(from, to)
  call expect(allocated(from), .false., "allocated(from)")
  call expect(allocated(to), .true., "allocated(to)")
  sync all
  call expect(to(:)[next()], [1, 2, 3] * next(), "moved")
  sync all
  to(2)[next()] = 77
  sync all
  call expect(to(2), 77, "put after the move")
  deallocate (to)
  if (this_image() == 1) print '(a)', "ok"
end program
