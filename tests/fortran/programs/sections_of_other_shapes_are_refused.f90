! A section that has not the shape of what is assigned to it is an error, where the library sees it.
! exit: 1
! output: none
! stderr: An array of shape \(3, 2\) was to be assigned to one of shape \(2, 2\)\.
program sections_of_other_shapes_are_refused
  use expectations
  implicit none
  integer, save :: a(4, 4)[*]
  integer :: own(4, 4), n

  a = 0
  own = 1
  n = this_image() - this_image() + 2
  sync all
  a(1, 1:n)[next()] = own(1:n, 1)
  a(1:n, 1:n)[next()] = own(1:n + 1, 1:n)
  print '(a)', "ok"
end program
