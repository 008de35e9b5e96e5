! images: 2
! exit: 1
! output: any
! stderr: CRITICAL: an image has stopped in the construct
! Who wants a lock that an image has not released when it stopped is told so, and so is who comes to
! a CRITICAL construct in which one has stopped.
program stopped_image_holds_a_lock
  use expectations
  use, intrinsic :: iso_fortran_env, only: lock_type, stat_stopped_image
  implicit none
  type(lock_type) :: lock[*]
  integer :: stat
  logical :: acquired

  if (this_image() == num_images()) then
    lock (lock[1])
    sync all
    call enter
  end if
  sync all
  stat = -1
  lock (lock[1], stat=stat)
  call expect(stat, stat_stopped_image, "stat of lock")
  lock (lock[1], acquired_lock=acquired)
  call expect(acquired, .false., "the lock is acquired")
  do while (image_status(num_images()) /= stat_stopped_image)
  end do
  call enter

contains

  subroutine enter
    critical
      call leave
    end critical
  end subroutine

  subroutine leave
    stop
  end subroutine
end program
