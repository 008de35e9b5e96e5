! An image may run ahead: each SYNC IMAGES matches one of the other image, in order.
! images: 2
program sync_images_counts_statements
  use expectations
  implicit none
  integer, save :: a(3)[*] = 0
  integer :: i

  if (this_image() == 1) then
    do i = 1, 3
      a(i)[2] = i
      sync images (2)
    end do
  else if (this_image() == 2) then
    do i = 1, 3
      sync images (1)
      call expect(a(i), i, "put before a matched statement")
    end do
  end if
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
