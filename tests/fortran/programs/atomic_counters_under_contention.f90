! No addition is lost when all images add to one counter, and each fetch sees its own number.
program atomic_counters_under_contention
  use expectations
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind), save :: n[*] = 0, m[*] = 0, bits[*] = 0
  integer, save :: seen(8000)[*] = 0
  integer(atomic_int_kind) :: old
  integer :: i

  do i = 1, 1000
    call atomic_add(n[1], 1)
    call atomic_fetch_add(m[num_images()], 1, old)
    seen(old + 1)[1] = this_image()
    call atomic_xor(bits[1], ishft(1, this_image()))
  end do
  call atomic_or(bits[1], 1)
  sync all
  if (this_image() == 1) then
    call expect(n, 1000 * num_images(), "counter")
    call expect(count(seen /= 0), 1000 * num_images(), "different numbers")
    do i = 1, num_images()
      call expect(count(seen == i), 1000, "numbers of one image")
    end do
    call expect(bits, 1, "bits switched an even number of times")
  end if
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
