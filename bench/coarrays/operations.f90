! What the operations of coarrays cost: the best of several series, in microseconds, as CSV. All
! images of a pair do the same to each other; the values that arrive are compared at the end.

module operations_timed
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, int64, lock_type
  implicit none
  integer, parameter :: n = 128, series = 20
  real(8), save :: u(0:n+1, 0:n+1, 0:n+1)[*]
  real(8), save :: s(2000)[*]
  type :: box
    real(8), allocatable :: a(:)
  end type
  type(box), save :: x[*]
  type(lock_type), save :: guard[*]
  type(event_type), save :: posted[*]
  integer(atomic_int_kind), save :: counter[*]
  real(8), allocatable :: large(:), fresh(:)[:]
  real(8) :: w(4096), own(4096), r
  integer(int64) :: start, rate
  integer :: me, other

contains

  subroutine time(name, operation, repetitions)
    character(*), intent(in) :: name
    interface
      subroutine operation()
      end subroutine
    end interface
    integer, intent(in) :: repetitions
    integer(int64) :: now
    real(8) :: best
    integer :: i, k
    best = huge(best)
    do k = 1, series
      sync all
      call system_clock(start)
      do i = 1, repetitions
        call operation()
      end do
      call system_clock(now)
      best = min(best, (now - start) * 1d6 / rate / repetitions)
    end do
    sync all
    if (me == 1) print '(a, ",", f0.4)', '"' // name // '"', best
  end subroutine

  subroutine put_value()
    s(1)[other] = r
  end subroutine
  subroutine get_value()
    w(1) = s(2)[other]
  end subroutine
  subroutine put_strided()
    s(1:2000:2)[other] = own(1:1000)
  end subroutine
  subroutine get_strided()
    w(1:1000) = s(2:2000:2)[other]
  end subroutine
  subroutine put_component()
    x[other]%a = own
  end subroutine
  subroutine get_component()
    w = x[other]%a
  end subroutine
  subroutine halo_x()
    u(0, 1:n, 1:n)[other] = u(n, 1:n, 1:n)
    u(n+1, 1:n, 1:n)[other] = u(1, 1:n, 1:n)
    sync images (other)
  end subroutine
  subroutine halo_y()
    u(1:n, 0, 1:n)[other] = u(1:n, n, 1:n)
    u(1:n, n+1, 1:n)[other] = u(1:n, 1, 1:n)
    sync images (other)
  end subroutine
  subroutine halo_z()
    u(1:n, 1:n, 0)[other] = u(1:n, 1:n, n)
    u(1:n, 1:n, n+1)[other] = u(1:n, 1:n, 1)
    sync images (other)
  end subroutine
  subroutine all_images()
    sync all
  end subroutine
  subroutine pair()
    sync images (other)
  end subroutine
  subroutine add()
    call atomic_add(counter[other], 1)
  end subroutine
  subroutine lock_other()
    lock (guard[other])
    unlock (guard[other])
  end subroutine
  subroutine events()
    if (me < other) then
      event post (posted[other])
      event wait (posted)
    else
      event wait (posted)
      event post (posted[other])
    end if
  end subroutine
  subroutine sum_value()
    call co_sum(r)
    r = me
  end subroutine
  subroutine sum_large()
    call co_sum(large)
    large(1) = 1
  end subroutine
  subroutine broadcast_value()
    call co_broadcast(w(4096), 1)
  end subroutine
  subroutine broadcast_large()
    call co_broadcast(large, 1)
  end subroutine
  subroutine allocate_one()
    allocate (fresh(1000)[*])
    deallocate (fresh)
  end subroutine

end module

program operations
  use operations_timed
  implicit none

  me = this_image()
  if (mod(num_images(), 2) == 1) error stop "an even number of images is wanted"
  other = merge(me + 1, me - 1, mod(me, 2) == 1)
  call system_clock(start, rate)
  u = me
  s = me
  w = me
  own = me
  r = me
  allocate (x%a(4096), source=w)
  allocate (large(131072), source=1d0)
  sync all
  call time("put 8 B", put_value, 20000)
  call time("get 8 B", get_value, 20000)
  call time("put, stride 2, 1000 values", put_strided, 2000)
  call time("get, stride 2, 1000 values", get_strided, 2000)
  call time("put component, 4096 values", put_component, 1000)
  call time("get component, 4096 values", get_component, 1000)
  call time("halo x", halo_x, 30)
  call time("halo y", halo_y, 100)
  call time("halo z", halo_z, 100)
  call time("sync all", all_images, 5000)
  call time("sync images, a pair", pair, 5000)
  call time("atomic add", add, 20000)
  call time("lock and unlock", lock_other, 5000)
  call time("event there and back", events, 5000)
  call time("co_sum 8 B", sum_value, 5000)
  call time("co_sum 1 MiB", sum_large, 20)
  call time("co_broadcast 8 B", broadcast_value, 5000)
  call time("co_broadcast 1 MiB", broadcast_large, 50)
  call time("allocate and deallocate", allocate_one, 1000)
  if (any(u(0, 1:n, 1:n) /= other) .or. any(u(1:n, 1:n, n+1) /= other)) error stop "halo"
  if (any(s(1::2) /= other) .or. any(x%a /= other)) error stop "values"
end program
