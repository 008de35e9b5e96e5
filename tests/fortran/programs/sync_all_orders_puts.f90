! What was put before SYNC ALL is seen after it, round after round.
program sync_all_orders_puts
  use expectations
  implicit none
  integer, save :: a[*] = 0, b(100)[*] = 0
  integer :: round, stat
  character(20) :: message

  message = "unchanged"
  do round = 1, 300
    a[next()] = round
    b(mod(round, 100) + 1)[previous()] = -round
    stat = -1
    if (mod(round, 3) == 0) then
      sync all (stat=stat, errmsg=message)
      call expect(stat, 0, "stat")
      call expect(message, "unchanged           ", "errmsg without an error")
    else
      sync all
    end if
    call expect(a, round, "put before sync all")
    call expect(b(mod(round, 100) + 1), -round, "second put before sync all")
    sync all
  end do
  if (this_image() == 1) print '(a)', "ok"
end program
