! Communication jitter: a histogram of the times of a calibrated loop of coarray exchanges.
!
! Source: P-SNAP (Los Alamos System Noise Activity Program) in its coarray version, as reported in
! "Coarrays in GNU Fortran" (2014). Image i and image i + P/2 are peers. The body of the loop puts
! one integer into the peer and synchronises the pair; calibration finds how many bodies take the
! granularity; then the loop is timed n times. The width of the histogram is the jitter. An odd
! image out exchanges with itself.
!
! Build: halocline caf build arguments.f90 psnap.f90 -o psnap
! Arguments: n=1000 (repetitions)  w=1000 (warm-up repetitions)  g=1000 (granularity, microseconds)
!   c=0 (bodies in a loop; 0: calibrate)  b=0 (sync all before every b-th loop; 0: never)
!   tolerance=10 (per cent, by which two steps of the calibration may differ)
!   limit=10 (seconds of calibration)
!   bins=20000 (of one microsecond; longer times count in the last)
!
! Columns: image, exchanges (bodies in a loop), microseconds (lower end of the bin), count.

module psnap_loop
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: wall_seconds
  implicit none
  private
  public :: choose_peer, timed_loop, calibrate, check_last

  integer :: slot[*] = 0, bodies[*] = 0
  real(real64) :: shortest[*] = 0
  integer :: peer = 1, sent = 0

contains

  subroutine choose_peer()
    integer :: half
    half = num_images() / 2
    peer = this_image()
    if (this_image() <= half) then
      peer = this_image() + half
    else if (this_image() <= 2 * half) then
      peer = this_image() - half
    end if
  end subroutine choose_peer

  ! Seconds of so many exchanges.
  real(real64) function timed_loop(exchanges) result(seconds)
    integer, intent(in) :: exchanges
    integer :: i
    seconds = wall_seconds()
    do i = 1, exchanges
      sent = merge(1, sent + 1, sent == huge(sent))
      slot[peer] = sent
      if (peer /= this_image()) sync images (peer)
    end do
    seconds = wall_seconds() - seconds
  end function timed_loop

  ! Both peers have sent equally often, so the last number received is known.
  subroutine check_last()
    sync all
    if (slot /= sent) error stop 'psnap: a wrong number arrived'
    sync all
  end subroutine check_last

  ! count <- count*g/shortest until the shortest of ten loops is near g. All images use the same
  ! number, the largest that any of them asks for.
  integer function calibrate(granularity, tolerance, limit) result(exchanges)
    real(real64), intent(in) :: granularity, tolerance, limit
    real(real64) :: begin
    integer :: trial, wanted, image
    logical :: near
    begin = wall_seconds()
    exchanges = 1
    do
      shortest = huge(shortest)
      do trial = 1, 10
        shortest = min(shortest, timed_loop(exchanges))
      end do
      sync all
      if (this_image() == 1) then
        wanted = 1
        near = wall_seconds() - begin > limit
        do image = 1, num_images()
          wanted = max(wanted, nint(min(1e9_real64, exchanges * granularity / &
            max(shortest[image], 1e-9_real64))))
        end do
        near = near .or. abs(wanted - exchanges) <= tolerance * exchanges .or. wanted == exchanges
        bodies = merge(-wanted, wanted, near)
      end if
      sync all
      exchanges = abs(bodies[1])
      near = bodies[1] < 0
      sync all
      if (near) exit
    end do
  end function calibrate

end module psnap_loop

program psnap
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments
  use psnap_loop, only: choose_peer, timed_loop, calibrate, check_last
  implicit none

  integer :: repetitions = 1000, warm_up = 1000, fixed = 0, barrier = 0, bins = 20000, exchanges
  real(real64) :: granularity = 1000, tolerance = 10, limit = 10
  integer, allocatable :: histogram(:)[:]

  call get_argument('n', repetitions, 1)
  call get_argument('w', warm_up, 0)
  call get_argument('c', fixed, 0)
  call get_argument('b', barrier, 0)
  call get_argument('g', granularity)
  call get_argument('tolerance', tolerance)
  call get_argument('limit', limit)
  call get_argument('bins', bins, 2)
  call end_arguments()

  call choose_peer()
  allocate (histogram(0:bins - 1)[*])
  histogram = 0
  exchanges = fixed
  if (fixed == 0) exchanges = calibrate(granularity * 1e-6_real64, tolerance / 100, limit)
  call measure()
  call check_last()
  if (sum(histogram) /= repetitions) error stop 'psnap: the histogram is not complete'
  if (this_image() == 1) call report()
  sync all

contains

  subroutine measure()
    integer :: i, bin
    real(real64) :: seconds
    do i = 1 - warm_up, repetitions
      if (barrier > 0) then
        if (mod(i + warm_up - 1, barrier) == 0) sync all
      end if
      seconds = timed_loop(exchanges)
      if (i < 1) cycle
      bin = int(min(seconds * 1e6_real64, bins - 1.0_real64))
      histogram(bin) = histogram(bin) + 1
    end do
  end subroutine measure

  subroutine report()
    integer :: image, bin, counts(0:bins - 1)
    print '(a)', 'image,exchanges,microseconds,count'
    do image = 1, num_images()
      counts = histogram(:)[image]
      do bin = 0, bins - 1
        if (counts(bin) > 0) print '(3(i0, ","), i0)', image, exchanges, bin, counts(bin)
      end do
    end do
  end subroutine report

end program psnap
