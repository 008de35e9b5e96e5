! What is changed under a lock is changed by one image at a time; locks of an array are apart.
program locks_exclude_each_other
  use expectations
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type), save :: one[*], many(3)[*]
  type(lock_type), allocatable :: held(:)[:]
  integer, save :: n[*] = 0, m(3)[*] = 0
  integer :: i, k, last

  allocate (held(2)[*])
  last = num_images()
  do i = 1, 200
    lock (one[1])
    n[1] = n[1] + 1
    unlock (one[1])
    k = mod(i + this_image(), 3) + 1
    lock (many(k)[last])
    m(k)[last] = m(k)[last] + 1
    unlock (many(k)[last])
    lock (held(2)[1])
    lock (held(1)[1])
    n[last] = n[last] + 1
    unlock (held(1)[1])
    unlock (held(2)[1])
  end do
  sync all
  if (last == 1) then
    call expect(n, 400, "one counter for two locks")
  else
    call expect(n[1], 200 * last, "counter")
    call expect(n[last], 200 * last, "counter under two locks")
  end if
  call expect(sum(m(:)[last]), 200 * last, "counters under an array of locks")
  sync all
  deallocate (held)
  if (this_image() == 1) print '(a)', "ok"
end program
