! exit: 3
! stderr: STOP 3
! STOP with a number gives it as the exit status.
program stop_code_is_the_exit_status
  implicit none
  integer :: i
  if (this_image() == 1) print '(a)', "ok"
  i = 3
  stop i
end program
