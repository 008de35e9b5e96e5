! Low-level benchmarks of coarray transfers: latency and bandwidth between images.
!
! Source: Sembritzki, "Evaluation of the Coarray Fortran programming model on the example of a
! lattice Boltzmann code" (2012), section 4.2.  Image 1 plays ping-pong with image 2; all images
! take part in the ring shift and in the overlap test.  As in the thesis, chunks walk through a
! window larger than the caches.  With one image the partner is image 1 itself.
!   ping_pong, ring   contiguous, push (put) and pull (get), elements of 4 and of 8 bytes
!   strided           ping-pong of every stride-th element: native sections (push, pull), and
!                     push with manual buffering (packed)
!   element_wise      ping-pong, one assignment an element, against contiguous
!   overlap           ring shift of one size together with computation that needs no memory and
!                     takes as long (listings 4.7 and 4.8)
! Every case is checked once: wrong values are an error stop.
! Build: halocline caf build arguments.f90 low_level.f90 -o low_level
! Arguments (default first; sizes in bytes):
!   seconds=0.2  least time of one point        window=64  MB walked through
!   smallest=8  largest=8388608  factor=4       sizes of a series, and between two of them
!   element_largest=65536  strided_bytes=1048576  overlap_bytes=4194304
!   test=all|ping_pong|ring|strided|element_wise|overlap
!
! Columns: test, method, element_bytes, stride, bytes (of one message), repeats, microseconds (of
! one step: there and back, or one shift), megabytes/second (two messages a step: the thesis's
! models T = 2 (L + N/B) for ping-pong and T = L + 2 N/B for the ring), then only in rows of method
! *_fit the latency L and the bandwidth B of the least squares fit of relative residuals (section
! 4.2.2) over all sizes of the series.

module low_level_steps
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  type case_type
    character(len=12) :: test = '', method = 'push'
    logical :: ring = .false., pull = .false., packed = .false., one_by_one = .false.
    logical :: communicate = .true., compute = .false.
    integer :: element = 8, stride = 1, number = 0   ! number: elements of a message
  end type case_type

  integer :: partner, next, previous   ! images
  integer :: work = 0                  ! iterations of the computation
  real(real64), volatile :: sink       ! keeps the computation alive
  integer(int32), allocatable :: i4(:, :)[:]   ! column 1 is sent, column 2 received in the ring
  integer(int64), allocatable :: i8(:, :)[:]
  integer(int64), allocatable :: packed(:)
  integer, allocatable :: order(:)     ! 1, 2, 3, ..., which the compiler does not know

contains

  ! One step of a case on the chunk that begins at first.
  subroutine one_step(c, first)
    type(case_type), intent(in) :: c
    integer, intent(in) :: first
    integer :: last
    last = first + (c%number - 1) * c%stride
    if (c%ring) then
      if (c%communicate) call transfer_chunk(c, merge(previous, next, c%pull), first, last)
      if (c%compute) call calculate()
      sync all
    else
      call half(c, 1, partner, first, last)
      call half(c, partner, 1, first, last)
    end if
  end subroutine one_step

  ! Half a ping-pong: one message from source to destination; then both know that it is there.
  subroutine half(c, source, destination, first, last)
    type(case_type), intent(in) :: c
    integer, intent(in) :: source, destination, first, last
    if (this_image() == merge(destination, source, c%pull)) &
      call transfer_chunk(c, merge(source, destination, c%pull), first, last)
    if (source /= destination) then
      if (this_image() == source) sync images (destination)
      if (this_image() == destination) sync images (source)
    end if
    if (this_image() == destination .and. c%packed) i8(first:last:c%stride, 1) = i8(1:c%number, 2)
  end subroutine half

  ! Puts a chunk to an image, or gets it from there (pull).  A ring has its own column for that.
  subroutine transfer_chunk(c, image, first, last)
    type(case_type), intent(in) :: c
    integer, intent(in) :: image, first, last
    integer :: to
    to = merge(2, 1, c%ring)
    if (c%one_by_one) then
      call transfer_elements(c, image, first)
    else if (c%packed) then
      packed(1:c%number) = i8(first:last:c%stride, 1)
      i8(1:c%number, 2)[image] = packed(1:c%number)
    else if (c%stride > 1 .and. c%pull) then
      i8(first:last:c%stride, 1) = i8(first:last:c%stride, 1)[image]
    else if (c%stride > 1) then
      i8(first:last:c%stride, 1)[image] = i8(first:last:c%stride, 1)
    else if (c%element == 4 .and. c%pull) then
      i4(first:last, to) = i4(first:last, 1)[image]
    else if (c%element == 4) then
      i4(first:last, to)[image] = i4(first:last, 1)
    else if (c%pull) then
      i8(first:last, to) = i8(first:last, 1)[image]
    else
      i8(first:last, to)[image] = i8(first:last, 1)
    end if
  end subroutine transfer_chunk

  subroutine transfer_elements(c, image, first)
    type(case_type), intent(in) :: c
    integer, intent(in) :: image, first
    integer :: i
    if (c%pull) then
      do i = 1, c%number
        i8(first - 1 + order(i), 1) = i8(first - 1 + order(i), 1)[image]
      end do
    else
      do i = 1, c%number
        i8(first - 1 + order(i), 1)[image] = i8(first - 1 + order(i), 1)
      end do
    end if
  end subroutine transfer_elements

  ! Dependent multiplications and additions: time without any traffic of memory.
  subroutine calculate()
    real(real64) :: x
    integer :: i
    x = sink
    do i = 1, work
      x = 0.999_real64 * x + 0.001_real64
    end do
    sink = x
  end subroutine calculate

end module low_level_steps

program low_level
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use arguments, only: get_argument, end_arguments, bad_argument, wall_seconds
  use low_level_steps
  implicit none
  integer, parameter :: most_strided = 32
  real(real64) :: seconds = 0.2_real64
  integer :: window = 64, smallest = 8, largest = 8388608, factor = 4, element_largest = 65536, &
    strided_bytes = 1048576, overlap_bytes = 4194304
  character(len=12) :: test = 'all'

  call read_arguments()
  partner = min(2, num_images())
  next = modulo(this_image(), num_images()) + 1
  previous = modulo(this_image() - 2, num_images()) + 1
  if (this_image() == 1) print '(a)', 'test,method,element_bytes,stride,bytes,repeats,' // &
    'microseconds,megabytes/second,latency_microseconds,fitted_megabytes/second'

  call allocate_window(4)
  if (wanted('ping_pong')) call push_and_pull(case_type('ping_pong', element=4), largest)
  if (wanted('ring')) call push_and_pull(case_type('ring', ring=.true., element=4), largest)
  call allocate_window(8)
  if (wanted('ping_pong')) call push_and_pull(case_type('ping_pong'), largest)
  if (wanted('ring')) call push_and_pull(case_type('ring', ring=.true.), largest)
  if (wanted('strided')) call strided()
  if (wanted('element_wise')) call element_wise()
  if (wanted('overlap')) call overlap()

contains

  subroutine read_arguments()
    call get_argument('seconds', seconds)
    call get_argument('window', window, 1)
    call get_argument('smallest', smallest, 8)
    call get_argument('largest', largest, 8)
    call get_argument('factor', factor, 2)
    call get_argument('element_largest', element_largest, 8)
    call get_argument('strided_bytes', strided_bytes, 8)
    call get_argument('overlap_bytes', overlap_bytes, 8)
    call get_argument('test', test, 'all ping_pong ring strided element_wise overlap')
    call end_arguments()
    if (window > 1024) call bad_argument('window must be at most 1024 (MB)')
    if (largest < smallest) call bad_argument('largest must be at least smallest')
    if (modulo(smallest, 8) + modulo(strided_bytes, 8) + modulo(overlap_bytes, 8) /= 0) &
      call bad_argument('sizes must be multiples of 8 bytes')
    if (max(largest, element_largest, overlap_bytes) > window * 1048576 .or. &
      wanted('strided') .and. strided_bytes > window * 1048576 / most_strided) &
      call bad_argument('window must hold every message, and strided_bytes 32 times')
  end subroutine read_arguments

  logical function wanted(name)
    character(len=*), intent(in) :: name
    wanted = test == 'all' .or. test == name
  end function wanted

  ! The window of both columns, for elements of this many bytes.  All its pages are touched.
  subroutine allocate_window(element)
    integer, intent(in) :: element
    if (allocated(i4)) deallocate (i4)
    if (element == 4) allocate (i4(window * 262144, 2)[*], source=0_int32)
    if (element == 8) allocate (i8(window * 131072, 2)[*], source=0_int64)
  end subroutine allocate_window

  ! Both directions of a contiguous series.
  subroutine push_and_pull(c, most)
    type(case_type), intent(in) :: c
    integer, intent(in) :: most
    type(case_type) :: other
    call series(c, most)
    other = c
    other%pull = .true.
    other%method = 'pull'
    call series(other, most)
  end subroutine push_and_pull

  ! All sizes of one case, then the fit.
  subroutine series(c, most)
    type(case_type), intent(in) :: c
    integer, intent(in) :: most
    type(case_type) :: now
    real(real64) :: bytes(32), times(32)
    integer :: points
    now = c
    points = 0
    now%number = smallest / c%element
    do
      points = points + 1
      bytes(points) = now%number * c%element
      call point(now, times(points))
      if (now%number > most / c%element / factor) exit
      now%number = now%number * factor
    end do
    if (this_image() == 1) call fit(c, bytes(:points), times(:points))
  end subroutine series

  ! Sections with a stride, native and with manual buffering (the receiver unpacks too).
  subroutine strided()
    type(case_type) :: c
    real(real64) :: time
    integer :: method
    allocate (packed(strided_bytes / 8))
    c = case_type('strided', number=strided_bytes / 8)
    do method = 1, 3
      c%pull = method == 2
      c%packed = method == 3
      c%method = trim(merge('pull  ', merge('packed', 'push  ', c%packed), c%pull))
      c%stride = 1
      do while (c%stride <= most_strided)
        call point(c, time)
        c%stride = 2 * c%stride
      end do
    end do
  end subroutine strided

  subroutine element_wise()
    type(case_type) :: c
    integer :: i
    order = [(i, i=1, element_largest / 8)]
    c = case_type('element_wise', 'contiguous')
    call series(c, element_largest)
    c%method = 'push'
    c%one_by_one = .true.
    call push_and_pull(c, element_largest)
  end subroutine element_wise

  ! Communication, computation, both.  If both takes the sum of the times, nothing overlaps.
  subroutine overlap()
    type(case_type) :: c
    integer :: direction, part
    real(real64) :: time
    c = case_type('overlap', ring=.true., number=overlap_bytes / 8)
    do direction = 1, 2
      c%pull = direction == 2
      do part = 1, 3
        c%communicate = part /= 2
        c%compute = part /= 1
        c%method = merge('pull', 'push', c%pull)
        if (part == 2) c%method = 'computation'
        if (part == 3) c%method = trim(c%method) // '_both'
        call point(c, time)
        if (part == 1) call choose_work(time)
      end do
    end do
  end subroutine overlap

  ! So many iterations that they take about this time, on all images the same.
  subroutine choose_work(time)
    real(real64), intent(in) :: time
    real(real64) :: spent
    work = 1000000
    spent = wall_seconds()
    call calculate()
    spent = wall_seconds() - spent
    call co_max(spent)
    work = max(1, int(min(1e9_real64, work * time / spent)))
  end subroutine choose_work

  ! Checks one case, then repeats it for at least the time of a point.  All images agree on times.
  subroutine point(c, time)
    type(case_type), intent(in) :: c
    real(real64), intent(out) :: time
    real(real64) :: spent
    integer :: repeats, bytes
    if (c%communicate) call check(c)
    repeats = 2
    call repeat_steps(c, repeats, spent)
    do
      call repeat_steps(c, repeats, spent)
      if (spent >= seconds .or. repeats > 1000000000) exit
      repeats = repeats * int(min(20.0_real64, max(2.0_real64, 1.2_real64 * seconds / spent)))
    end do
    time = spent / repeats
    bytes = merge(c%number * c%element, 0, c%communicate)
    if (this_image() == 1) print '(2(a, ","), 4(i0, ","), es0.5, ",", es0.5, ",,")', &
      trim(c%test), trim(c%method), c%element, c%stride, bytes, repeats, 1e6_real64 * time, &
      2e-6_real64 * bytes / time
  end subroutine point

  subroutine repeat_steps(c, repeats, spent)
    type(case_type), intent(in) :: c
    integer, intent(in) :: repeats
    real(real64), intent(out) :: spent
    real(real64) :: begin
    integer :: r, extent, chunks, first
    extent = c%number * c%stride
    chunks = max(1, window * (1048576 / c%element) / extent)
    sync all
    begin = wall_seconds()
    do r = 0, repeats - 1
      first = 1 + modulo(r, chunks) * extent
      call one_step(c, first)
    end do
    sync all
    spent = max(wall_seconds() - begin, 1e-9_real64)
    call co_max(spent)
  end subroutine repeat_steps

  ! Least squares of the relative residuals (a + b N)/T - 1: the normal equations of two unknowns.
  ! Ping-pong: a = 2 L, b = 2/B.  Ring: a = L, b = 2/B.
  subroutine fit(c, bytes, times)
    type(case_type), intent(in) :: c
    real(real64), intent(in) :: bytes(:), times(:)
    real(real64) :: p(size(times)), q(size(times)), a, b, determinant
    p = 1 / times
    q = bytes / times
    determinant = sum(p * p) * sum(q * q) - sum(p * q)**2
    if (size(times) < 2 .or. determinant <= 0) return
    a = (sum(p) * sum(q * q) - sum(q) * sum(p * q)) / determinant
    b = (sum(q) * sum(p * p) - sum(p) * sum(p * q)) / determinant
    if (.not. c%ring) a = a / 2
    print '(3a, i0, 2a, ",", es0.5, ",", es0.5)', trim(c%test) // ',', trim(c%method), '_fit,', &
      c%element, ',', ',,,,', 1e6_real64 * a, 2e-6_real64 / b
  end subroutine fit

  ! One step on the last chunk with known values; every receiver looks at all that it got.
  subroutine check(c)
    type(case_type), intent(in) :: c
    integer :: first, last
    first = window * (1048576 / c%element) - c%number * c%stride + 1
    last = first + (c%number - 1) * c%stride
    call fill(c, first, last)
    sync all
    if (c%ring) then
      call one_step(c, first)
      call compare(c, first, last, 2, previous)
    else
      call half(c, 1, partner, first, last)
      if (this_image() == partner) then
        call compare(c, first, last, 1, 1)
        call fill(c, first, last)
      end if
      sync all
      call half(c, partner, 1, first, last)
      if (this_image() == 1) call compare(c, first, last, 1, partner)
    end if
    sync all
  end subroutine check

  ! What an image sends tells its number and the place.  The second column starts as zero.
  subroutine fill(c, first, last)
    type(case_type), intent(in) :: c
    integer, intent(in) :: first, last
    integer :: i
    do i = first, last
      if (c%element == 4) i4(i, :) = [sent(i, this_image()), 0]
      if (c%element == 8) i8(i, :) = [sent(i, this_image()), 0]
    end do
  end subroutine fill

  pure integer function sent(place, image)
    integer, intent(in) :: place, image
    sent = 16 * modulo(place, 8388608) + modulo(image, 16) + 1
  end function sent

  ! Between the elements of a section with a stride, nothing may have changed.
  subroutine compare(c, first, last, column, source)
    type(case_type), intent(in) :: c
    integer, intent(in) :: first, last, column, source
    integer(int64) :: got
    integer :: i, owner
    got = 0
    do i = first, last
      owner = merge(source, this_image(), modulo(i - first, c%stride) == 0)
      if (c%element == 4) got = i4(i, column)
      if (c%element == 8) got = i8(i, column)
      if (got /= sent(i, owner)) error stop 'low_level: wrong values were transferred'
    end do
  end subroutine compare

end program low_level
