! exit: 5
! stderr: STOP 5
! The exit status tells of one image that stops with a number.
program stop_code_of_one_image
  implicit none
  if (this_image() == 1) print '(a)', "ok"
  if (this_image() == num_images()) stop 5
end program
