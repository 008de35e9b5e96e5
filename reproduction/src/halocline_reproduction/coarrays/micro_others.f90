! Part of micro.f90: the cost of synchronisation, and the swap of halos.

! Time of [delay loop + synchronisation] minus time of [delay loop].
module micro_sync
  use, intrinsic :: iso_fortran_env, only: real64, lock_type
  use arguments, only: wall_seconds, image_grid, unique_images
  use micro_common, only: row
  implicit none
  private
  public :: synchronisation_tests

  integer, parameter :: sync_with_all = 1, sync_with_set = 2, with_lock = 3, in_critical = 4
  type(lock_type) :: door[*]
  integer :: counter[*] = 0, epoch[*] = 0
  integer, allocatable :: set(:)
  real(real64) :: sink = 0

contains

  subroutine synchronisation_tests(delay, outer, inner)
    integer, intent(in) :: delay, outer, inner
    integer, allocatable :: order(:)
    integer :: neighbours, me, half
    me = this_image()
    call test('all', sync_with_all, [integer ::])
    half = num_images() / 2
    if (me <= half) call choose([me + half])
    if (me > half) call choose([merge(me - half, me, me <= 2 * half)])
    call test('pairwise', sync_with_set, set)
    do neighbours = 2, min(12, 2 * half), 2
      order = identity()
      call test(named('ring', neighbours), sync_with_set, ring(order, neighbours))
      order = permutation()
      call test(named('random_ring', neighbours), sync_with_set, ring(order, neighbours))
    end do
    call test('grid', sync_with_set, grid_neighbours(me))
    call test('lock', with_lock, [integer ::])
    call test('critical', in_critical, [integer ::])

  contains

    subroutine test(name, kind, images)
      character(len=*), intent(in) :: name
      integer, intent(in) :: kind, images(:)
      call choose(images)
      call verify(kind)
      call measure(name, kind, delay, outer, inner)
    end subroutine test

  end subroutine synchronisation_tests

  ! Sets the images to synchronise with.
  subroutine choose(images)
    integer, intent(in) :: images(:)
    set = unique_images(images)
  end subroutine choose

  function named(kind, number) result(name)
    character(len=*), intent(in) :: kind
    integer, intent(in) :: number
    character(len=:), allocatable :: name
    character(len=8) :: digits
    write (digits, '(i0)') number
    name = kind // '_' // trim(digits)
  end function named

  function identity() result(order)
    integer :: order(num_images()), i
    order = [(i, i = 1, num_images())]
  end function identity

  ! The same random order on all images: Fisher-Yates shuffle with a small congruential generator.
  function permutation() result(order)
    integer :: order(num_images()), i, j, state
    order = identity()
    state = 12345
    do i = num_images(), 2, -1
      state = mod(state * 1103 + 12347, 65536)
      j = 1 + mod(state / 16, i)
      order([i, j]) = order([j, i])
    end do
  end function permutation

  ! The images at most neighbours/2 places away in a ring of this order.
  function ring(order, neighbours) result(images)
    integer, intent(in) :: order(:), neighbours
    integer, allocatable :: images(:)
    integer :: place, i
    place = findloc(order, this_image(), 1) - 1
    images = [(order(1 + modulo(place + i, size(order))), i = -neighbours / 2, neighbours / 2)]
  end function ring

  ! Six neighbours in a periodic 3-D grid of images.
  function grid_neighbours(me) result(images)
    integer, intent(in) :: me
    integer :: images(6), grid(3), place(3), other(3), d, side
    grid = image_grid(num_images(), 3)
    place = [mod(me - 1, grid(1)), mod((me - 1) / grid(1), grid(2)), (me - 1) / (grid(1) * grid(2))]
    do d = 1, 3
      do side = 0, 1
        other = place
        other(d) = modulo(place(d) + 2 * side - 1, grid(d))
        images(2 * d - 1 + side) = 1 + other(1) + grid(1) * (other(2) + grid(2) * other(3))
      end do
    end do
  end function grid_neighbours

  subroutine synchronise(kind)
    integer, intent(in) :: kind
    select case (kind)
    case (sync_with_all)
      sync all
    case (sync_with_set)
      sync images (set)
    case (with_lock)
      lock (door[1])
      unlock (door[1])
    case (in_critical)
      critical
      end critical
    end select
  end subroutine synchronise

  ! Does it synchronise? Images must see the others' numbers; a guarded counter must not lose any.
  subroutine verify(kind)
    integer, intent(in) :: kind
    integer :: i, j, seen
    counter = 0
    sync all
    do i = 1, 10
      select case (kind)
      case (with_lock)
        lock (door[1])
        counter[1] = counter[1] + 1
        unlock (door[1])
      case (in_critical)
        critical
          counter[1] = counter[1] + 1
        end critical
      case default
        epoch = i
        call synchronise(kind)
        do j = 1, size(set)
          seen = epoch[set(j)]
          if (seen /= i) error stop 'micro: a synchronisation did not synchronise'
        end do
        call synchronise(kind)
      end select
    end do
    sync all
    if ((kind == with_lock .or. kind == in_critical) .and. this_image() == 1) then
      if (counter /= 10 * num_images()) error stop 'micro: a guarded counter is wrong'
    end if
    sync all
  end subroutine verify

  ! Mean and 95 % interval over the outer repetitions; the first is discarded.
  subroutine measure(name, kind, delay, outer, inner)
    character(len=*), intent(in) :: name
    integer, intent(in) :: kind, delay, outer, inner
    real(real64) :: sample(0:outer), alone, mean, deviation
    integer :: i, j
    do i = 0, outer
      sync all
      alone = wall_seconds()
      do j = 1, inner
        call spin(delay)
      end do
      alone = wall_seconds() - alone
      sync all
      sample(i) = wall_seconds()
      do j = 1, inner
        call spin(delay)
        call synchronise(kind)
      end do
      sample(i) = (wall_seconds() - sample(i) - alone) / inner
    end do
    sync all
    if (.not. sink >= 0) error stop 'micro: the delay loop failed'
    mean = sum(sample(1:)) / outer
    deviation = sqrt(sum((sample(1:) - mean)**2) / max(1, outer - 1))
    call row('synchronisation,' // name // ',,,', [-1, -1, -1, outer * inner], mean, &
      1.96_real64 * deviation / sqrt(real(outer, real64)), -1.0_real64)
  end subroutine measure

  ! The delay: a sum that cannot be left out.
  subroutine spin(delay)
    integer, intent(in) :: delay
    integer :: i
    do i = 1, delay
      sink = sqrt(sink + i)
    end do
  end subroutine spin

end module micro_sync

! Swap of the six faces of periodic cubes (no edges or corners).
module micro_halo
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: wall_seconds, image_grid, unique_images
  use micro_common, only: row, agreed
  implicit none
  private
  public :: halo_swap

  real(real64), allocatable :: u(:, :, :)[:]
  integer, allocatable :: neighbours(:)
  integer :: n, grid(3), place(3), low(3), high(3)

contains

  subroutine halo_swap(edge, operation, synchronisation, minimum)
    integer, intent(in) :: edge
    character(len=*), intent(in) :: operation, synchronisation
    real(real64), intent(in) :: minimum
    real(real64) :: seconds
    integer :: repetitions, i
    logical :: put, global
    n = edge
    put = operation == 'put'
    global = synchronisation == 'all'
    call choose_neighbours()
    allocate (u(0:n + 1, 0:n + 1, 0:n + 1)[*])
    call fill()
    repetitions = 1 ! this one only warms up
    do
      sync all
      seconds = wall_seconds()
      do i = 1, repetitions
        call synchronise(global)
        if (put) then
          call put_faces()
        else
          call get_faces()
        end if
        call synchronise(global)
      end do
      seconds = agreed(wall_seconds() - seconds)
      if (repetitions > 1 .and. (seconds >= minimum .or. repetitions > 2**28)) exit
      repetitions = 2 * repetitions
    end do
    call verify()
    seconds = seconds / repetitions
    call row('halo,cube,' // trim(operation) // ',,' // trim(synchronisation), &
      [6, n * n, -1, repetitions], seconds, -1.0_real64, 6 * 8 * real(n, real64)**2 / &
      2.0_real64**20 / seconds)
    deallocate (u)
  end subroutine halo_swap

  subroutine choose_neighbours()
    integer :: d, step(3), me
    me = this_image() - 1
    grid = image_grid(num_images(), 3)
    place = [mod(me, grid(1)), mod(me / grid(1), grid(2)), me / (grid(1) * grid(2))]
    do d = 1, 3
      step = 0
      step(d) = 1
      low(d) = image_at(place - step)
      high(d) = image_at(place + step)
    end do
    neighbours = unique_images([low, high])
  end subroutine choose_neighbours

  integer function image_at(where)
    integer, intent(in) :: where(3)
    integer :: at(3)
    at = modulo(where, grid)
    image_at = 1 + at(1) + grid(1) * (at(2) + grid(2) * at(3))
  end function image_at

  subroutine synchronise(global)
    logical, intent(in) :: global
    if (global) then
      sync all
    else
      sync images (neighbours)
    end if
  end subroutine synchronise

  subroutine put_faces()
    u(n + 1, 1:n, 1:n)[low(1)] = u(1, 1:n, 1:n)
    u(0, 1:n, 1:n)[high(1)] = u(n, 1:n, 1:n)
    u(1:n, n + 1, 1:n)[low(2)] = u(1:n, 1, 1:n)
    u(1:n, 0, 1:n)[high(2)] = u(1:n, n, 1:n)
    u(1:n, 1:n, n + 1)[low(3)] = u(1:n, 1:n, 1)
    u(1:n, 1:n, 0)[high(3)] = u(1:n, 1:n, n)
  end subroutine put_faces

  subroutine get_faces()
    u(0, 1:n, 1:n) = u(n, 1:n, 1:n)[low(1)]
    u(n + 1, 1:n, 1:n) = u(1, 1:n, 1:n)[high(1)]
    u(1:n, 0, 1:n) = u(1:n, n, 1:n)[low(2)]
    u(1:n, n + 1, 1:n) = u(1:n, 1, 1:n)[high(2)]
    u(1:n, 1:n, 0) = u(1:n, 1:n, n)[low(3)]
    u(1:n, 1:n, n + 1) = u(1:n, 1:n, 1)[high(3)]
  end subroutine get_faces

  ! The number of a point of the whole periodic grid.
  real(real64) function point(i, j, k)
    integer, intent(in) :: i, j, k
    real(real64) :: at(3), whole(3)
    whole = n * grid
    at = modulo(place * n + [i, j, k] - 1.0_real64, whole)
    point = at(1) + whole(1) * (at(2) + whole(2) * at(3))
  end function point

  subroutine fill()
    integer :: i, j, k
    u = -1
    do k = 1, n
      do j = 1, n
        do i = 1, n
          u(i, j, k) = point(i, j, k)
        end do
      end do
    end do
  end subroutine fill

  ! Faces and interior hold their points, edges and corners nothing.
  subroutine verify()
    integer :: i, j, k, outside
    real(real64) :: expected
    do k = 0, n + 1
      do j = 0, n + 1
        do i = 0, n + 1
          outside = count([i, j, k] == 0 .or. [i, j, k] == n + 1)
          expected = merge(point(i, j, k), -1.0_real64, outside < 2)
          if (u(i, j, k) /= expected) error stop 'micro: a halo is wrong'
        end do
      end do
    end do
    sync all
  end subroutine verify

end module micro_halo
