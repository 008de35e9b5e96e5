! Arguments of the coarray example programs, and three small helpers that they share.
!
! Arguments are words name=value on the command line. A program calls get_argument once for every
! name that it knows (the variable holds the default before), then end_arguments, which refuses any
! other word. All images read the same command line; image 1 alone says what is wrong.
!
! Helpers: wall_seconds (a clock), image_grid (images as a box of up to three directions),
! unique_images (a list of images for SYNC IMAGES, without repeats and without this image).
module arguments
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: get_argument, end_arguments, bad_argument, wall_seconds, image_grid, unique_images

  interface get_argument
    module procedure get_integer, get_real, get_word
  end interface get_argument

  integer, parameter :: length = 256, most = 32
  character(len=length) :: known(most) = ''
  integer :: number_known = 0

contains

  ! A whole number, at least minimum if that is given.
  subroutine get_integer(name, value, minimum)
    character(len=*), intent(in) :: name
    integer, intent(inout) :: value
    integer, intent(in), optional :: minimum
    character(len=length) :: text
    character(len=24) :: bound
    integer :: status
    if (.not. found(name, text)) return
    status = verify(trim(text), '+-0123456789')
    if (status == 0) read (text, *, iostat=status) value
    if (status /= 0) call bad_argument(name // ' must be a whole number, not ' // trim(text))
    if (present(minimum)) then
      write (bound, '(i0)') minimum
      if (value < minimum) call bad_argument(name // ' must be at least ' // trim(bound))
    end if
  end subroutine get_integer

  ! A number that is not negative.
  subroutine get_real(name, value)
    character(len=*), intent(in) :: name
    real(real64), intent(inout) :: value
    character(len=length) :: text
    integer :: status
    if (.not. found(name, text)) return
    status = verify(trim(text), '+-0123456789.eEdD')
    if (status == 0) read (text, *, iostat=status) value
    if (status /= 0) call bad_argument(name // ' must be a number, not ' // trim(text))
    if (value < 0) call bad_argument(name // ' must not be negative')
  end subroutine get_real

  ! One word of choices, which are separated by blanks.
  subroutine get_word(name, value, choices)
    character(len=*), intent(in) :: name, choices
    character(len=*), intent(inout) :: value
    character(len=length) :: text
    if (.not. found(name, text)) return
    if (index(' ' // choices // ' ', ' ' // trim(text) // ' ') == 0) &
      call bad_argument(name // ' must be one of: ' // choices // '; not ' // trim(text))
    value = text
  end subroutine get_word

  ! Looks for name=...; the last such word counts. Remembers the name.
  logical function found(name, text)
    character(len=*), intent(in) :: name
    character(len=*), intent(out) :: text
    character(len=length) :: word
    integer :: i
    if (number_known == most) error stop 'arguments: too many names, raise most'
    number_known = number_known + 1
    known(number_known) = name
    found = .false.
    text = ''
    do i = 1, command_argument_count()
      call get_command_argument(i, word)
      if (index(word, name // '=') /= 1) cycle
      text = word(len(name) + 2:)
      if (text == '') call bad_argument(name // ' has no value')
      found = .true.
    end do
  end function found

  ! Refuses words whose name no get_argument asked for.
  subroutine end_arguments()
    character(len=length) :: word
    integer :: i, equals
    do i = 1, command_argument_count()
      call get_command_argument(i, word)
      equals = index(word, '=')
      if (equals > 1) then
        if (any(known(:number_known) == word(:equals - 1))) cycle
      end if
      call bad_argument('unknown argument ' // trim(word) // '; known are' // known_names())
    end do
  end subroutine end_arguments

  ! The known names in one text.
  function known_names() result(text)
    character(len=:), allocatable :: text
    integer :: j
    text = ''
    do j = 1, number_known
      text = text // ' ' // trim(known(j)) // '='
    end do
  end function known_names

  ! Ends all images with one message. All images must call it: the others wait for image 1.
  subroutine bad_argument(message)
    character(len=*), intent(in) :: message
    if (this_image() == 1) error stop message
    sync all
    error stop
  end subroutine bad_argument

  ! Seconds since some moment, by the system's clock.
  real(real64) function wall_seconds()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    wall_seconds = real(ticks, real64) / real(rate, real64)
  end function wall_seconds

  ! The most compact grid of that many images in 1, 2 or 3 directions, the largest number first.
  pure function image_grid(images, directions) result(grid)
    integer, intent(in) :: images, directions
    integer :: grid(3), a, b, c
    grid = [images, 1, 1]
    do c = 1, merge(images, 1, directions > 2)
      if (mod(images, c) /= 0) cycle
      do b = c, merge(images / c, c, directions > 1)
        if (mod(images / c, b) /= 0) cycle
        a = images / c / b
        if (a >= b .and. a + b + c < sum(grid)) grid = [a, b, c]
      end do
    end do
  end function image_grid

  ! The list without repeats and without this image: what SYNC IMAGES accepts.
  function unique_images(list) result(images)
    integer, intent(in) :: list(:)
    integer, allocatable :: images(:)
    integer :: i
    allocate (images(0))
    do i = 1, size(list)
      if (list(i) /= this_image() .and. all(images /= list(i))) images = [images, list(i)]
    end do
  end function unique_images

end module arguments
