! ALLOCATE of what is allocated gives STAT and ERRMSG, and changes nothing.
program allocate_of_allocated_gives_stat
  use expectations
  implicit none
  integer, allocatable :: a(:)[:]
  integer :: stat
  character(60) :: message

  message = "unchanged"
  allocate (a(3)[*], stat=stat, errmsg=message)
  call expect(stat, 0, "first allocate")
  call expect(message, "unchanged" // repeat(" ", 51), "errmsg without an error")
  a = this_image()
  allocate (a(5)[*], stat=stat, errmsg=message)
  call expect(stat /= 0, .true., "second allocate gives stat")
  call expect(message(:9) /= "unchanged", .true., "second allocate gives errmsg")
  call expect(size(a), 3, "size after the second")
  call expect(a(2)[next()], next(), "value after the second")
  deallocate (a, stat=stat, errmsg=message)
  call expect(stat, 0, "deallocate")
  call expect(allocated(a), .false., "allocated after deallocate")
  deallocate (a, stat=stat, errmsg=message)
  call expect(stat /= 0, .true., "second deallocate gives stat")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
