! images: 2
! exit: not 0
! output: none
! stderr: .
! Without STAT a stopped image ends the whole program with an error.
program stopped_image_without_stat_ends_all
  implicit none

  if (this_image() == num_images()) stop
  sync all
  print '(a)', "went on after a stopped image"
end program
