! exit: 1
! output: none
! stderr: ERROR STOP some text
! ERROR STOP with text writes it and ends all with an error.
program error_stop_with_text
  implicit none
  character(9) :: text
  text = "some text"
  sync all
  if (this_image() == 1) error stop text
  sync all
end program
