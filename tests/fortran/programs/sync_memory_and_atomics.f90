! With SYNC MEMORY and an atomic flag one image hands data to the next.
program sync_memory_and_atomics
  use expectations
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind), save :: flag[*] = 0
  integer(atomic_int_kind) :: seen
  integer, save :: data(10)[*] = 0
  integer :: stat, round, i
  character(20) :: message

  message = "unchanged"
  do round = 1, 50
    data(:)[next()] = [(round * i, i=1, 10)]
    stat = -1
    sync memory (stat=stat, errmsg=message)
    call expect(stat, 0, "stat")
    call expect(message, "unchanged           ", "errmsg without an error")
    call atomic_define(flag[next()], round)
    seen = 0
    do while (seen < round)
      call atomic_ref(seen, flag)
    end do
    sync memory
    call expect(data, [(round * i, i=1, 10)], "data after the flag")
    sync all
  end do
  if (this_image() == 1) print '(a)', "ok"
end program
