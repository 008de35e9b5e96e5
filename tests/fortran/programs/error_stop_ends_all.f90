! exit: 7
! stderr: ERROR STOP 7
! ERROR STOP of one image ends all others, wherever they wait.
program error_stop_ends_all
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type
  implicit none
  type(event_type), save :: never[*]
  type(lock_type), save :: held[*]
  integer, save :: a[*] = 0

  if (this_image() == num_images()) lock (held[1])
  sync all
  if (this_image() == num_images()) then
    print '(a)', "ok"
    error stop 7
  end if
  select case (mod(this_image(), 4))
  case (0)
    event wait (never)
  case (1)
    sync all
  case (2)
    lock (held[1])
  case default
    do while (a == 0)
      sync memory
    end do
  end select
end program
