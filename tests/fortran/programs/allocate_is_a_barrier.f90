! ALLOCATE and DEALLOCATE of coarrays wait for all images.
program allocate_is_a_barrier
  use expectations
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind), save :: come[*] = 0
  integer(atomic_int_kind) :: seen
  integer, allocatable :: a[:]
  integer :: round

  do round = 1, 20
    call atomic_add(come[1], 1)
    allocate (a[*])
    call atomic_ref(seen, come[1])
    call at_least(seen, (2 * round - 1) * num_images(), "come before allocate")
    sync all
    call atomic_add(come[1], 1)
    deallocate (a)
    call atomic_ref(seen, come[1])
    call at_least(seen, 2 * round * num_images(), "come before deallocate")
    sync all
  end do
  if (this_image() == 1) print '(a)', "ok"
end program
