! Burgers' equation u_t + u u_x = nu u_xx with coarrays: 2 pi periodic, u(x,0) = 10 sin x, nu = 1.
!
! Source: the Burgers solver of the coarray benchmarks reported in "Coarrays in GNU Fortran" (2014):
! conservative second-order central differences, midpoint Runge-Kutta. The communication is as fine
! grained as there: every derivative fetches one scalar from either neighbour, and every assignment
! ends with a pairwise synchronisation. So the run measures the latency of coarrays.
! The result is compared with the exact solution (Cole-Hopf series with Bessel functions I_n).
!
! Build: halocline caf build arguments.f90 burgers.f90 -o burgers
! Arguments: points=16 (even, a multiple of the images)  end=0.6  safety=0.1 (factor of the time
!   step safety*0.1*2*dx**2/(4*nu))  order=no|yes (yes: again with twice the points; the observed
!   order must be 2 +- 0.1, else error stop; the front is resolved from 64 points on)
!
! Columns: images, points, steps, time, max_error, rms_error, order (second row of order=yes),
! seconds, exchanges (scalars fetched by one image), microseconds/step.

module burgers_field
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: unique_images
  implicit none
  private
  public :: u, open_field, close_field, advance, viscosity, amplitude, exchanges

  real(real64), parameter :: viscosity = 1, amplitude = 10
  real(real64), allocatable :: u(:)[:], half(:)[:]
  real(real64) :: spacing
  integer :: m, left, right, exchanges = 0
  integer, allocatable :: neighbours(:)

contains

  ! A share of the points for every image, and the initial wave.
  subroutine open_field(points, dx)
    integer, intent(in) :: points
    real(real64), intent(in) :: dx
    integer :: i, before
    m = points / num_images()
    spacing = dx
    left = merge(num_images(), this_image() - 1, this_image() == 1)
    right = merge(1, this_image() + 1, this_image() == num_images())
    neighbours = unique_images([left, right])
    exchanges = 0
    allocate (u(m)[*], half(m)[*])
    before = (this_image() - 1) * m
    u(:) = [(amplitude * sin((before + i) * dx), i = 0, m - 1)]
    sync all
  end subroutine open_field

  subroutine close_field()
    deallocate (u, half)
  end subroutine close_field

  ! One step of the midpoint rule. Each synchronisation says both: my values are there to be read,
  ! and I have read yours.
  subroutine advance(dt)
    real(real64), intent(in) :: dt
    half(:) = u + dt / 2 * (viscosity * second_derivative(u) - flux_derivative(u))
    sync images (neighbours)
    u(:) = u + dt * (viscosity * second_derivative(half) - flux_derivative(half))
    sync images (neighbours)
  end subroutine advance

  ! u_xx, central.
  function second_derivative(f) result(g)
    real(real64), intent(in) :: f(m)[*]
    real(real64) :: g(m), before, after
    integer :: i
    before = f(m)[left]
    after = f(1)[right]
    exchanges = exchanges + 2
    do i = 1, m
      g(i) = (side(f, i + 1, after) - 2 * f(i) + side(f, i - 1, before)) / spacing**2
    end do
  end function second_derivative

  ! (u**2/2)_x, central.
  function flux_derivative(f) result(g)
    real(real64), intent(in) :: f(m)[*]
    real(real64) :: g(m), before, after
    integer :: i
    before = f(m)[left]
    after = f(1)[right]
    exchanges = exchanges + 2
    do i = 1, m
      g(i) = (side(f, i + 1, after)**2 - side(f, i - 1, before)**2) / (4 * spacing)
    end do
  end function flux_derivative

  ! The i-th value here, or the fetched one beyond the end.
  pure real(real64) function side(f, i, beyond)
    real(real64), intent(in) :: f(m), beyond
    integer, intent(in) :: i
    if (i < 1 .or. i > m) then
      side = beyond
    else
      side = f(i)
    end if
  end function side

end module burgers_field

program burgers
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments, bad_argument, wall_seconds
  use burgers_field, only: u, open_field, close_field, advance, viscosity, amplitude, exchanges
  implicit none

  real(real64), parameter :: pi = acos(-1.0_real64)
  real(real64) :: end_time = 0.6_real64, safety = 0.1_real64, coarse_error, fine_error, order
  integer :: points = 16
  character(len=8) :: with_order = 'no'

  call get_argument('points', points, 4)
  call get_argument('end', end_time)
  call get_argument('safety', safety)
  call get_argument('order', with_order, 'no yes')
  call end_arguments()
  if (mod(points, num_images()) /= 0 .or. mod(points, 2) /= 0) &
    call bad_argument('points must be even and a multiple of the images')
  if (safety <= 0) call bad_argument('safety must be positive')

  if (this_image() == 1) print '(a)', &
    'images,points,steps,time,max_error,rms_error,order,seconds,exchanges,microseconds/step'
  call run(points, 0.0_real64, coarse_error)
  if (with_order == 'yes') then
    call run(2 * points, coarse_error, fine_error)
    order = log(coarse_error / fine_error) / log(2.0_real64)
    if (this_image() == 1 .and. .not. abs(order - 2) <= 0.1_real64) &
      error stop 'burgers: the observed order is not 2'
  end if

contains

  ! Integrates with n points and prints one row. max_error is known on image 1.
  subroutine run(n, error_before, max_error)
    integer, intent(in) :: n
    real(real64), intent(in) :: error_before
    real(real64), intent(out) :: max_error
    real(real64) :: dx, dt, time, begin, seconds
    integer :: steps
    dx = 2 * pi / n
    dt = safety * (0.1_real64 * 2 * dx**2 / (4 * viscosity))
    time = 0
    steps = 0
    call open_field(n, dx)
    begin = wall_seconds()
    do while (time < end_time)
      call advance(dt)
      time = time + dt
      steps = steps + 1
    end do
    seconds = wall_seconds() - begin
    sync all
    max_error = 0
    if (this_image() == 1) call report(n, dx, time, steps, seconds, error_before, max_error)
    sync all
    call close_field()
  end subroutine run

  ! Image 1 gathers the field, checks and prints it.
  subroutine report(n, dx, time, steps, seconds, error_before, max_error)
    integer, intent(in) :: n, steps
    real(real64), intent(in) :: dx, time, seconds, error_before
    real(real64), intent(out) :: max_error
    real(real64) :: whole(0:n - 1), difference(0:n - 1)
    character(len=12) :: order
    integer :: i, image, m
    m = n / num_images()
    do image = 1, num_images()
      whole((image - 1) * m:image * m - 1) = u(:)[image]
    end do
    difference = whole - [(exact(i * dx, time), i = 0, n - 1)]
    max_error = maxval(abs(difference))
    if (.not. max_error < amplitude) error stop 'burgers: the solution is wrong'
    if (abs(whole(n / 2)) > 1e-9_real64) error stop 'burgers: no zero at pi'
    order = ''
    if (error_before > 0) write (order, '(f0.4)') log(error_before / max_error) / log(2.0_real64)
    print '(3(i0, ","), es12.6, ",", 2(es11.5, ","), a, ",", es11.5, ",", i0, ",", es11.5)', &
      num_images(), n, steps, time, max_error, sqrt(sum(difference**2) / n), trim(order), seconds, &
      exchanges, 1e6_real64 * seconds / max(steps, 1)
  end subroutine report

  ! The Cole-Hopf series for amplitude*sin(x).
  pure real(real64) function exact(x, t)
    real(real64), intent(in) :: x, t
    real(real64) :: upper, lower, term, z
    integer :: n
    z = amplitude / (2 * viscosity)
    upper = 0
    lower = bessel_i(0, z)
    do n = 1, 60
      term = bessel_i(n, z) * exp(-n**2 * viscosity * t)
      upper = upper + n * term * sin(n * x)
      lower = lower + 2 * term * cos(n * x)
    end do
    exact = 4 * viscosity * upper / lower
  end function exact

  ! Modified Bessel function of the first kind by its power series.
  pure real(real64) function bessel_i(n, z)
    integer, intent(in) :: n
    real(real64), intent(in) :: z
    real(real64) :: term
    integer :: k
    term = exp(n * log(z / 2) - log_gamma(n + 1.0_real64))
    bessel_i = term
    do k = 1, 60
      term = term * (z / 2)**2 / (k * real(n + k, real64))
      bessel_i = bessel_i + term
    end do
  end function bessel_i

end program burgers
