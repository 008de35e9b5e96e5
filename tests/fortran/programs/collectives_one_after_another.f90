! Hundreds of collectives in a row, with no other synchronisation, do not mix.
program collectives_one_after_another
  use expectations
  implicit none
  integer :: i, a, b(5), n, me

  me = this_image()
  n = num_images()
  do i = 1, 300
    a = i + me
    call co_broadcast(a, mod(i, n) + 1)
    call expect(a, i + mod(i, n) + 1, "broadcast")
    b = i * me
    call co_sum(b, result_image=mod(i, n) + 1)
    if (me == mod(i, n) + 1) call expect(b(5), i * n * (n + 1) / 2, "sum at one image")
    a = i * me
    call co_max(a)
    call expect(a, i * n, "largest")
    a = -i * me
    call co_min(a, result_image=n)
    if (me == n) call expect(a, -i * n, "least at the last image")
  end do
  if (me == 1) print '(a)', "ok"
end program
