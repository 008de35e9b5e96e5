! With RESULT_IMAGE only that image needs the result; STAT is 0 and ERRMSG is left alone.
program collectives_give_result_and_stat
  use expectations
  implicit none
  integer :: a, b(3), i, n, me, stat
  character(10) :: c
  character(:), allocatable :: message

  me = this_image()
  n = num_images()
  do i = 1, n
    a = me
    message = "unchanged "
    stat = -1
    call co_sum(a, result_image=i, stat=stat, errmsg=message)
    call expect(stat, 0, "stat of co_sum")
    call expect(message, "unchanged ", "errmsg without an error")
    if (me == i) call expect(a, n * (n + 1) / 2, "sum at one image")
    b = [me, -me, 7]
    stat = -1
    call co_max(b, result_image=i, stat=stat)
    call expect(stat, 0, "stat of co_max")
    if (me == i) call expect(b, [n, -1, 7], "largest at one image")
    stat = -1
    b = [me, -me, 7]
    call co_min(b, i, stat, message)
    call expect(stat, 0, "stat of co_min")
    if (me == i) call expect(b, [1, -n, 7], "least at one image")
    stat = -1
    a = me
    call co_broadcast(a, source_image=i, stat=stat, errmsg=message)
    call expect(stat, 0, "stat of co_broadcast")
    call expect(a, i, "broadcast from each image")
    c = "image" // achar(48 + me)
    call co_max(c, result_image=i)
    if (me == i) call expect(c, "image" // achar(48 + n) // "    ", "characters at one image")
  end do
  if (me == 1) print '(a)', "ok"
end program
