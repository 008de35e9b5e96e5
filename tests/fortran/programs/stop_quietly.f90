! exit: 4
! STOP with QUIET writes nothing.
program stop_quietly
  implicit none
  if (this_image() == 1) print '(a)', "ok"
  sync all
  stop 4, quiet=.true.
end program
