! exit: 0
! stderr: STOP some text
! STOP with text writes it and ends without an error.
program stop_with_text
  implicit none
  if (this_image() == 1) print '(a)', "ok"
  sync all
  stop "some text"
end program
