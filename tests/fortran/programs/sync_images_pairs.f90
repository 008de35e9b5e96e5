! SYNC IMAGES pairs what images name each other: one, several, all, itself and none.
program sync_images_pairs
  use expectations
  implicit none
  integer, save :: a(0:8)[*] = 0
  integer :: i, round, stat, me, n, none(0)
  character(20) :: message

  me = this_image()
  n = num_images()
  message = "unchanged"
  do round = 1, 100
    ! Around a ring, each with both neighbours.
    a(1)[next()] = round
    if (next() == previous()) then
      sync images (next())
    else
      sync images ([next(), previous()])
    end if
    call expect(a(1), round, "put in a ring")
    if (next() == previous()) then
      sync images ([next()], stat=stat, errmsg=message)
    else
      sync images ([previous(), next()], stat=stat, errmsg=message)
    end if
    call expect(stat, 0, "stat")
    call expect(message, "unchanged           ", "errmsg without an error")
  end do
  sync images (me)
  sync images (none)
  sync images (none, stat=stat)
  call expect(stat, 0, "stat of none")
  ! One waits for all; each of the others only for it.
  do round = 1, 50
    a(me - 1)[1] = round * me
    if (me == 1) then
      sync images (*)
      call expect(a(:n - 1), [(round * i, i=1, n)], "put before a star")
      sync images (*, stat=stat)
      call expect(stat, 0, "stat of a star")
    else
      sync images (1)
      sync images (1)
    end if
  end do
  ! From one to the next: a chain of different numbers of statements on each image.
  a(8) = 0
  sync all
  if (me > 1) sync images (me - 1)
  if (me < n) then
    a(8)[me + 1] = a(8) + 1
    sync images (me + 1)
  end if
  call expect(a(8), me - 1, "chain")
  sync all
  if (me == 1) print '(a)', "ok"
end program
