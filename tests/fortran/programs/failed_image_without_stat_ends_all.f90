! images: 2
! exit: not 0
! output: none
! stderr: .
! Without STAT a failed image ends the whole program, soon and with an error.
program failed_image_without_stat_ends_all
  implicit none

  if (this_image() == num_images()) fail image
  sync all
  print '(a)', "went on after a failed image"
end program
