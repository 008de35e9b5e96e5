! Himeno's benchmark with coarrays: weighted Jacobi relaxation of a 3-D Poisson equation.
!
! Source: the Himeno benchmark (version 3.0, official count of 34 flops an interior point and
! sweep), and its coarray form reported in "Coarrays in GNU Fortran" (2014). The grid is split over
! the images in 1 (last index), 2 (last two) or 3 directions; blocks may differ by one point.
! Unlike the original, p starts afresh after the rehearsal, so that the sweep number is known.
!
! Build: halocline caf build arguments.f90 himeno.f90 -o himeno
! Arguments (default first):
!   size=XS|S|M|L|XL   precision=single|double   split=3|1|2   communication=put|get
!   sweeps=10          0: rehearse three sweeps, then as many as fill seconds=60
! gosa (sum of squared residuals of the last sweep, summed in double) is compared with the value in
! double precision where that is known (XS, S, M, L; some sweeps): 1e-10 relative in double,
! 1e-2 in single precision; more is an error stop.
!
! Columns: size, precision, images, images_i, images_j, images_k (the split), communication, sweeps,
! gosa, gosa_difference (relative, empty: not known), seconds, MFLOPS,
! communication_seconds/sweep (slowest image: halos, synchronisation and the sum of gosa).

module himeno_single
  use, intrinsic :: iso_fortran_env, only: real64, wp => real32
  use arguments, only: wall_seconds
  implicit none
  include 'himeno_solver.inc'
end module himeno_single

module himeno_double
  use, intrinsic :: iso_fortran_env, only: real64, wp => real64
  use arguments, only: wall_seconds
  implicit none
  include 'himeno_solver.inc'
end module himeno_double

program himeno
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments, bad_argument, image_grid
  use himeno_single, only: solve_single => solve
  use himeno_double, only: solve_double => solve
  implicit none

  character(len=8) :: size_name = 'XS', precision = 'single', communication = 'put'
  integer :: split = 3, sweeps = 10, box(3), whole(3)
  real(real64) :: budget = 60, gosa, seconds, exchange_seconds, known, difference
  character(len=24) :: shown

  call get_argument('size', size_name, 'XS S M L XL')
  call get_argument('precision', precision, 'single double')
  call get_argument('split', split, 1)
  call get_argument('communication', communication, 'put get')
  call get_argument('sweeps', sweeps, 0)
  call get_argument('seconds', budget)
  call end_arguments()
  if (split > 3) call bad_argument('split must be 1, 2 or 3')

  whole = grid_of(size_name)
  box = image_grid(num_images(), split)
  box = box(3:1:-1) ! the largest number along the last index, whose layers are contiguous
  if (any(box > whole - 2)) call bad_argument('more images than layers in one direction')

  if (precision == 'single') then
    call solve_single(whole, box, communication == 'put', budget, sweeps, gosa, seconds, &
      exchange_seconds)
  else
    call solve_double(whole, box, communication == 'put', budget, sweeps, gosa, seconds, &
      exchange_seconds)
  end if

  known = known_gosa(size_name, sweeps)
  shown = ''
  if (known > 0) then
    difference = abs(gosa / known - 1)
    write (shown, '(es8.2)') difference
    if (.not. difference <= merge(1e-2_real64, 1e-10_real64, precision == 'single')) &
      error stop 'himeno: gosa differs from the known value'
  end if
  if (this_image() == 1) call report()

contains

  subroutine report()
    print '(a)', 'size,precision,images,images_i,images_j,images_k,communication,sweeps,gosa,' // &
      'gosa_difference,seconds,MFLOPS,communication_seconds/sweep'
    print '(2(a, ","), 4(i0, ","), a, ",", i0, ",", es18.12, ",", a, ",", es11.5, ",", f0.2, ",", &
      &es11.5)', trim(size_name), trim(precision), num_images(), box, trim(communication), sweeps, &
      gosa, trim(adjustl(shown)), seconds, &
      34 * product(real(whole - 2, real64)) * sweeps / seconds * 1e-6_real64, &
      exchange_seconds / sweeps
  end subroutine report

  ! The logical grid, boundary included; the long axis is the first.
  function grid_of(name) result(points)
    character(len=*), intent(in) :: name
    integer :: points(3)
    points = [2, 1, 1]
    select case (name)
    case ('XS'); points = 32 * points
    case ('S'); points = 64 * points
    case ('M'); points = 128 * points
    case ('L'); points = 256 * points
    case ('XL'); points = 512 * points
    end select
  end function grid_of

  ! gosa of a sweep in double precision (the project's reference data, himeno_gosa.csv), or 0.
  real(real64) function known_gosa(name, sweep) result(value)
    character(len=*), intent(in) :: name
    integer, intent(in) :: sweep
    integer, parameter :: sweep_list(7) = [1, 2, 3, 4, 10, 50, 100]
    real(real64) :: row(7)
    integer :: i
    row = 0
    select case (name)
    case ('XS')
      row = [6.713436944043e-03_real64, 6.438837855673e-03_real64, 6.229342509070e-03_real64, &
        6.057188747463e-03_real64, 5.357884350041e-03_real64, 3.422768730771e-03_real64, &
        2.317033655182e-03_real64]
    case ('S')
      row = [3.416246634505e-03_real64, 3.348145277262e-03_real64, 3.295447663416e-03_real64, &
        3.251678652924e-03_real64, 3.069352837466e-03_real64, 2.515290175378e-03_real64, &
        2.147092740242e-03_real64]
    case ('M')
      row(:5) = [1.722334153286e-03_real64, 1.705380971064e-03_real64, &
        1.692173782601e-03_real64, 1.681149082422e-03_real64, 1.634683525577e-03_real64]
    case ('L')
      row(:4) = [8.646381190977e-04_real64, 8.604090489789e-04_real64, &
        8.571036078478e-04_real64, 8.543376562605e-04_real64]
    end select
    value = 0
    do i = 1, size(row)
      if (sweep_list(i) == sweep) value = row(i)
    end do
  end function known_gosa

end program himeno
