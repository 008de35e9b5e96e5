! images: 2
! exit: any
! SYNC IMAGES with a failed image gives STAT_FAILED_IMAGE; among the others it goes on.
program failed_image_in_sync_images
  use expectations
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: stat, last, i

  last = num_images()
  if (this_image() == last) fail image
  stat = 0
  sync images ([last], stat=stat)
  call expect(stat, stat_failed_image, "stat of sync images with the failed one")
  if (last > 2) then
    ! The first pairs with each survivor.
    if (this_image() == 1) then
      sync images ([(i, i=2, last - 1)], stat=stat)
    else
      sync images (1, stat=stat)
    end if
    call expect(stat, 0, "stat of sync images among survivors")
  end if
  stat = 0
  sync images (*, stat=stat)
  call expect(stat, stat_failed_image, "stat of sync images with all")
  if (this_image() == 1) print '(a)', "ok"
end program
