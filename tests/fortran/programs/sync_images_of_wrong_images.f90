! SYNC IMAGES with an image that does not exist, or twice the same, gives STAT and ERRMSG.
program sync_images_of_wrong_images
  use expectations
  implicit none
  integer :: stat, many
  character(40) :: message

  many = num_images() + 1
  message = "unchanged"
  stat = 0
  sync images ([many], stat=stat, errmsg=message)
  call expect(stat /= 0, .true., "stat of an image after the last")
  call expect(message(:9) /= "unchanged", .true., "errmsg of an image after the last")
  many = 0
  stat = 0
  sync images ([many], stat=stat)
  call expect(stat /= 0, .true., "stat of image 0")
  many = num_images()
  stat = 0
  sync images ([many, many], stat=stat)
  call expect(stat, 3, "stat of an image named twice")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
