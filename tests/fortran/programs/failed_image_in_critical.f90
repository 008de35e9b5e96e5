! images: 2
! exit: any
! An image that fails in a critical section leaves it free for the others.
program failed_image_in_critical
  use expectations
  implicit none
  integer, save :: n[*] = 0
  integer :: stat, i, last

  last = num_images()
  do i = 1, 5
    critical
      if (this_image() == last) fail image
      n[1] = n[1] + 1
    end critical
  end do
  sync all (stat=stat)
  call expect(n[1], 5 * (last - 1), "counter")
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"
end program
