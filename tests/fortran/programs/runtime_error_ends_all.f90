! images: 2
! exit: any
! output: any
! stderr: Fortran runtime error
! A runtime error of one image does not leave the others waiting.
program runtime_error_ends_all
  implicit none
  integer :: i, stat
  character(3) :: text = "abc"

  if (this_image() == num_images()) read (text, *) i
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"
end program
