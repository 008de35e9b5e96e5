! images: 2
! exit: any
! A lock held by an image that was killed becomes free.
program killed_image_holds_a_lock
  use expectations
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  interface
    integer(c_int) function raise(signal) bind(c)
      import :: c_int
      integer(c_int), value :: signal
    end function
  end interface
  type(lock_type), save :: held[*]
  integer, save :: n[*] = 0
  integer :: stat, last
  integer(c_int) :: ignored

  last = num_images()
  if (this_image() == last) lock (held[1])
  sync all
  if (this_image() == last) ignored = raise(9_c_int)
  lock (held[1], stat=stat)
  n[1] = n[1] + 1
  unlock (held[1], stat=stat)
  sync all (stat=stat)
  call expect(n[1], last - 1, "counter under the lock")
  sync all (stat=stat)
  if (this_image() == 1) print '(a)', "ok"
end program
