! images: 2
! Memory of an image that is no coarray's remains, too, until all images have stopped.
program stopped_image_keeps_its_own_memory
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  type :: box
    integer, pointer :: p(:) => null()
  end type
  type(box), save :: b[*]
  integer, target, save :: mine(1000)
  integer :: last
  integer(8) :: start, now, rate

  last = num_images()
  mine = this_image()
  b%p => mine
  sync all
  if (this_image() == last) stop
  do while (image_status(last) /= stat_stopped_image)
  end do
  ! Time enough for a process to end.
  call system_clock(start, rate)
  now = start
  do while (now - start < rate / 10)
    call system_clock(now)
  end do
  call expect(b[last]%p(1000), last, "target of a pointer")
  if (this_image() == 1) print '(a)', "ok"
end program
