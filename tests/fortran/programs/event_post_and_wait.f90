! EVENT WAIT returns after as many posts as it says, in any order, and takes them away.
program event_post_and_wait
  use expectations
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type), save :: ready[*], many(4)[*]
  type(event_type), allocatable :: alloc(:)[:]
  integer, save :: a(8)[*]
  integer :: i, n, stat, count
  character(20) :: message

  allocate (alloc(2)[*])
  message = "unchanged"
  call event_query(ready, count, stat)
  call expect(count, 0, "count at the start")
  call expect(stat, 0, "stat of query")
  sync all
  ! Each hands a value to the next, many times.
  do i = 1, 100
    a(1)[next()] = i
    event post (ready[next()], stat=stat, errmsg=message)
    call expect(stat, 0, "stat of post")
    stat = -1
    event wait (ready, stat=stat, errmsg=message)
    call expect(stat, 0, "stat of wait")
    call expect(message, "unchanged           ", "errmsg without an error")
    call expect(a(1), i, "put before the post")
    event post (many(3)[previous()])
    event wait (many(3))
  end do
  sync all
  ! All post to all.
  do i = 1, num_images()
    a(this_image())[i] = 10 * this_image()
    event post (alloc(2)[i])
  end do
  n = num_images()
  event wait (alloc(2), until_count=n)
  call expect(a(:n), [(10 * i, i=1, n)], "values of all")
  call event_query(alloc(2), count)
  call expect(count, 0, "count after the wait")
  call event_query(alloc(1), count)
  call expect(count, 0, "count of the element beside")
  sync all
  ! What is posted remains until it is waited for.
  do i = 1, 5
    event post (many(2)[next()])
  end do
  sync all
  call event_query(many(2), count)
  call expect(count, 5, "count of five posts")
  event wait (many(2), until_count=3)
  call event_query(many(2), count)
  call expect(count, 2, "count after a wait for three")
  event wait (many(2))
  call event_query(many(2), count)
  call expect(count, 1, "count after a wait for one")
  event wait (many(2), until_count=0)
  call event_query(many(2), count)
  call expect(count, 0, "until_count below one counts as one")
  sync all
  deallocate (alloc)
  if (this_image() == 1) print '(a)', "ok"
end program
