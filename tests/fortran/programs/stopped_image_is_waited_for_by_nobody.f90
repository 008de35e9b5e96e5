! images: 3
! Where an image has stopped SYNC ALL and SYNC IMAGES with STAT= wait for no other image either, and
! collectives say so.
program stopped_image_is_waited_for_by_nobody
  use expectations
  use, intrinsic :: iso_fortran_env, only: event_type, stat_stopped_image
  implicit none
  type(event_type), save :: go[*]
  integer :: stat, last, i, value
  integer, save :: a[*]

  last = num_images()
  if (this_image() == last) stop
  if (this_image() == 1) then
    ! The others come to none of these before this image has been through all.
    sync all (stat=stat)
    call expect(stat, stat_stopped_image, "stat of sync all")
    sync images ([2, last], stat=stat)
    call expect(stat, stat_stopped_image, "stat of sync images")
    sync images (*, stat=stat)
    call expect(stat, stat_stopped_image, "stat of sync images with all")
    do i = 2, last - 1
      event post (go[i])
    end do
  else
    event wait (go)
    sync all (stat=stat)
    call expect(stat, stat_stopped_image, "stat of sync all after the event")
    if (this_image() == 2) then
      sync images ([1, last], stat=stat)
      call expect(stat, stat_stopped_image, "stat of sync images after the event")
    end if
    sync images (*, stat=stat)
    call expect(stat, stat_stopped_image, "stat of sync images with all after the event")
  end if
  ! Each SYNC IMAGES of one has met one of the other.
  if (this_image() <= 2) then
    do i = 1, 100
      if (this_image() == 1) a[2] = i
      sync images (3 - this_image())
      if (this_image() == 2) call expect(a, i, "put before sync images")
      sync images (3 - this_image())
    end do
  end if
  value = this_image()
  stat = 0
  call co_broadcast(value, 1, stat=stat)
  call expect(stat, stat_stopped_image, "stat of co_broadcast")
  stat = 0
  call co_max(value, result_image=1, stat=stat)
  call expect(stat, stat_stopped_image, "stat of co_max")
  ! Nobody ends, and so counts as stopped, before all have looked.
  sync images ([(i, i=1, num_images() - 1)])
  if (this_image() == 1) print '(a)', "ok"
end program
