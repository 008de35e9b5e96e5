! A local allocatable coarray is deallocated, on all images, when its procedure ends.
program allocatable_coarrays_end_with_their_procedure
  use expectations
  implicit none
  integer :: i

  do i = 1, 50
    call work(i)
  end do
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine work(n)
    integer, intent(in) :: n
    integer, allocatable :: local(:)[:]
    call expect(allocated(local), .false., "allocated at the start")
    allocate (local(n)[*])
    local = n * this_image()
    sync all
    call expect(local(n)[next()], n * next(), "value of the neighbour")
  end subroutine
end program
