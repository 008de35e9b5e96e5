! Micro-benchmarks of coarrays: point-to-point transfers, synchronisation, halos.
!
! Source: the quantities and arrangements of the EPCC Fortran coarray micro-benchmark suite (Henty,
! "A parallel benchmark suite for Fortran coarrays", ParCo 2011). What was transferred is verified
! after every test; a wrong value is an error stop.
!
! point: one image of a pair moves a pattern (count blocks of block_words, stride_words apart), both
!   synchronise, the other moves it back, both synchronise. seconds is the time of one move.
!   Modes: contiguous, subroutine (the coarray is a dummy argument), whole (array), many (statements
!   of one block each), strided (one statement), strided_many (blocks with gaps of equal size).
!   Arrangements: single (first and last image), multiple (i with i + P/2, all at once; P even),
!   crossing (every second pair in the opposite direction; P divisible by 4). MB/s is of one pair.
! synchronisation: time of [delay loop + synchronisation] minus [delay loop], mean and half width of
!   the 95 % interval: all, pairwise, ring_N and random_ring_N (N neighbours), grid (3-D), lock and
!   critical (on image 1, all images at once).
! halo: periodic cubes of n**3 words an image, six faces, synchronised before and after; MB/s is of
!   one image (count: faces, block_words: of a face).
!
! Build: halocline caf build arguments.f90 micro_transfers.f90 micro_others.f90 micro.f90 -o micro
! Arguments (default first):
!   part=all|point|synchronisation|halo   operation=both|put|get   synchronisation=both|all|images
!   mode=all|contiguous|subroutine|whole|many|strided|strided_many
!   arrangement=single|multiple|crossing   words=4194304 (largest pattern; a power of 2 is best)
!   seconds=0.5 (least length of a test)   largest=150 (cubes of 10, 50, 100, 150 up to this edge)
!   delay=500 (steps of the delay loop)    outer=100 inner=200 (repetitions)
!
! Columns: part, kind, operation, arrangement, synchronisation, images, count, block_words,
! stride_words, repetitions, seconds, interval_seconds, MB/s (2**20 bytes). Empty: does not apply.
program micro
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments, bad_argument
  use micro_common, only: header
  use micro_point, only: point_to_point
  use micro_sync, only: synchronisation_tests
  use micro_halo, only: halo_swap
  implicit none

  character(len=16), parameter :: modes(6) = [character(len=16) :: 'contiguous', 'subroutine', &
    'whole', 'many', 'strided', 'strided_many']
  character(len=8), parameter :: operations(2) = ['put     ', 'get     ']
  character(len=8), parameter :: synchronisations(2) = ['all     ', 'images  ']
  integer, parameter :: edges(4) = [10, 50, 100, 150]

  character(len=16) :: part = 'all', mode = 'all', operation = 'both', arrangement = 'single'
  character(len=16) :: synchronisation = 'both'
  integer :: words = 4194304, largest = 150, delay = 500, outer = 100, inner = 200, i, j, k
  real(real64) :: minimum = 0.5_real64

  call get_argument('part', part, 'all point synchronisation halo')
  call get_argument('operation', operation, 'both put get')
  call get_argument('synchronisation', synchronisation, 'both all images')
  call get_argument('mode', mode, 'all contiguous subroutine whole many strided strided_many')
  call get_argument('arrangement', arrangement, 'single multiple crossing')
  call get_argument('words', words, 1)
  call get_argument('seconds', minimum)
  call get_argument('largest', largest, 1)
  call get_argument('delay', delay, 0)
  call get_argument('outer', outer, 1)
  call get_argument('inner', inner, 1)
  call end_arguments()
  if (arrangement == 'multiple' .and. mod(num_images(), 2) /= 0) &
    call bad_argument('arrangement=multiple needs an even number of images')
  if (arrangement == 'crossing' .and. mod(num_images(), 4) /= 0) &
    call bad_argument('arrangement=crossing needs a number of images divisible by 4')

  call header()
  do i = 1, merge(size(modes), 0, part == 'all' .or. part == 'point')
    if (mode /= 'all' .and. mode /= modes(i)) cycle
    do j = 1, 2
      do k = 1, 2
        if (wanted(j, k)) call point_to_point(trim(modes(i)), operations(j), arrangement, &
          synchronisations(k), words, minimum)
      end do
    end do
  end do
  if (part == 'all' .or. part == 'synchronisation') call synchronisation_tests(delay, outer, inner)
  do i = 1, merge(size(edges), 0, part == 'all' .or. part == 'halo')
    if (edges(i) > largest) cycle
    do j = 1, 2
      do k = 1, 2
        if (wanted(j, k)) call halo_swap(edges(i), operations(j), synchronisations(k), minimum)
      end do
    end do
  end do

contains

  ! Is this pair of operation and synchronisation asked for?
  logical function wanted(j, k)
    integer, intent(in) :: j, k
    wanted = (operation == 'both' .or. operation == operations(j)) .and. &
      (synchronisation == 'both' .or. synchronisation == synchronisations(k))
  end function wanted

end program micro
