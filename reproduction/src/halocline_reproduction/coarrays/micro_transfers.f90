! Part of micro.f90: its output, its measuring loop, and the point-to-point transfers.

! What all parts need: rows of the output and a number that all images agree on.
module micro_common
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: header, row, agreed, value

  real(real64) :: said[*] = 0

contains

  subroutine header()
    if (this_image() == 1) print '(a)', 'part,kind,operation,arrangement,synchronisation,' // &
      'images,count,block_words,stride_words,repetitions,seconds,interval_seconds,MB/s'
  end subroutine header

  ! One row; a negative number is an empty field.
  subroutine row(words, numbers, seconds, interval, rate)
    character(len=*), intent(in) :: words ! the first five fields
    integer, intent(in) :: numbers(4) ! count, block, stride, repetitions
    real(real64), intent(in) :: seconds, interval, rate
    character(len=16) :: fields(7)
    integer :: i
    if (this_image() /= 1) return
    fields = ''
    do i = 1, 4
      if (numbers(i) >= 0) write (fields(i), '(i0)') numbers(i)
    end do
    write (fields(5), '(es12.5)') seconds
    if (interval >= 0) write (fields(6), '(es12.5)') interval
    if (rate >= 0) write (fields(7), '(es12.5)') rate
    print '(a, ",", i0, 7(",", a))', words, num_images(), (trim(adjustl(fields(i))), i = 1, 7)
  end subroutine row

  ! What image 1 measured. All images call it.
  real(real64) function agreed(mine)
    real(real64), intent(in) :: mine
    said = mine
    sync all
    agreed = said[1]
    sync all
  end function agreed

  ! The number that a word of an image holds in a test.
  elemental real(real64) function value(image, word)
    integer, intent(in) :: image, word
    value = real(image, real64) * 2.0_real64**32 + word
  end function value

end module micro_common

! Ping-pong of a pattern: count blocks of so many words, stride words apart.
module micro_point
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: wall_seconds
  use micro_common, only: row, agreed, value
  implicit none
  private
  public :: point_to_point

  type :: pattern
    integer :: count, block, stride, extent
  end type pattern

  real(real64), allocatable :: x(:)[:], local(:)
  integer :: partner
  logical :: takes_part, goes_first

contains

  ! One mode over all its patterns of at most so many words.
  subroutine point_to_point(mode, operation, arrangement, synchronisation, words, minimum)
    character(len=*), intent(in) :: mode, operation, arrangement, synchronisation
    integer, intent(in) :: words
    real(real64), intent(in) :: minimum
    integer :: length
    call choose_partner(arrangement)
    select case (mode)
    case ('many', 'strided_many')
      length = merge(words, words / 2, mode == 'many')
      do while (length >= 1)
        call test(one_pattern(words, length, merge(1, 2, mode == 'many') * length))
        length = length / 2
      end do
    case ('strided')
      length = min(128, words)
      do while (length >= 1)
        call test(one_pattern(words, 1, length))
        length = length / 2
      end do
    case default
      length = 1
      do while (length <= words)
        call test(pattern(1, length, length, length))
        length = 2 * length
      end do
    end select

  contains

    subroutine test(shape)
      type(pattern), intent(in) :: shape
      call measure(shape, mode, operation, arrangement, synchronisation, minimum)
    end subroutine test

  end subroutine point_to_point

  ! As many blocks as have room in words.
  pure type(pattern) function one_pattern(words, block, stride) result(shape)
    integer, intent(in) :: words, block, stride
    shape = pattern((words - block) / stride + 1, block, stride, 0)
    shape%extent = shape%block + (shape%count - 1) * shape%stride
  end function one_pattern

  ! single: first and last image. multiple: i and i + P/2, all at once. crossing: the same, every
  ! second pair in the opposite direction.
  subroutine choose_partner(arrangement)
    character(len=*), intent(in) :: arrangement
    integer :: me, images, half, pair
    me = this_image()
    images = num_images()
    half = images / 2
    if (arrangement == 'single') then
      takes_part = me == 1 .or. me == images
      goes_first = me == 1
      partner = merge(images, 1, me == 1)
    else
      takes_part = .true.
      goes_first = me <= half
      partner = merge(me + half, me - half, goes_first)
      pair = min(me, partner)
      if (arrangement == 'crossing' .and. mod(pair, 2) == 0) goes_first = .not. goes_first
    end if
  end subroutine choose_partner

  subroutine measure(shape, mode, operation, arrangement, synchronisation, minimum)
    type(pattern), intent(in) :: shape
    character(len=*), intent(in) :: mode, operation, arrangement, synchronisation
    real(real64), intent(in) :: minimum
    real(real64) :: seconds
    integer :: repetitions, i, me
    logical :: put, global
    me = this_image()
    put = operation == 'put'
    global = synchronisation == 'all'
    allocate (x(shape%extent)[*], local(shape%extent))
    do i = 1, shape%extent
      x(i) = merge(-1.0_real64, value(me, i), put)
      local(i) = merge(value(me, i), -1.0_real64, put)
    end do
    repetitions = 1 ! this one only warms up
    do
      sync all
      seconds = wall_seconds()
      if (takes_part .or. global) call ping_pong(shape, mode, put, global, repetitions)
      seconds = agreed(wall_seconds() - seconds)
      if (repetitions > 1 .and. (seconds >= minimum .or. repetitions > 2**28)) exit
      repetitions = 2 * repetitions
    end do
    if (takes_part) call verify(shape, put)
    seconds = seconds / 2 / repetitions
    call row('point,' // trim(mode) // ',' // trim(operation) // ',' // trim(arrangement) // &
      ',' // trim(synchronisation), [shape%count, shape%block, shape%stride, repetitions], &
      seconds, -1.0_real64, 8.0_real64 * shape%count * shape%block / 2.0_real64**20 / seconds)
    deallocate (x, local)
  end subroutine measure

  ! One image of the pair moves, both synchronise, the other moves, both synchronise.
  subroutine ping_pong(shape, mode, put, global, repetitions)
    type(pattern), intent(in) :: shape
    character(len=*), intent(in) :: mode
    logical, intent(in) :: put, global
    integer, intent(in) :: repetitions
    integer :: i, turn
    do i = 1, repetitions
      do turn = 1, 2
        if (takes_part .and. (goes_first .eqv. turn == 1)) then
          if (put) then
            call put_pattern(shape, mode)
          else
            call get_pattern(shape, mode)
          end if
        end if
        if (global) then
          sync all
        else if (partner /= this_image()) then
          sync images (partner)
        end if
      end do
    end do
  end subroutine ping_pong

  subroutine put_pattern(shape, mode)
    type(pattern), intent(in) :: shape
    character(len=*), intent(in) :: mode
    integer :: i, n
    n = shape%extent
    select case (mode)
    case ('contiguous')
      x(1:n)[partner] = local(1:n)
    case ('subroutine')
      call put_section(x, local, n)
    case ('whole')
      x(:)[partner] = local
    case ('strided')
      x(1:n:shape%stride)[partner] = local(1:n:shape%stride)
    case default
      do i = 1, n, shape%stride
        x(i:i + shape%block - 1)[partner] = local(i:i + shape%block - 1)
      end do
    end select
  end subroutine put_pattern

  subroutine get_pattern(shape, mode)
    type(pattern), intent(in) :: shape
    character(len=*), intent(in) :: mode
    integer :: i, n
    n = shape%extent
    select case (mode)
    case ('contiguous')
      local(1:n) = x(1:n)[partner]
    case ('subroutine')
      call get_section(x, local, n)
    case ('whole')
      local(:) = x(:)[partner]
    case ('strided')
      local(1:n:shape%stride) = x(1:n:shape%stride)[partner]
    case default
      do i = 1, n, shape%stride
        local(i:i + shape%block - 1) = x(i:i + shape%block - 1)[partner]
      end do
    end select
  end subroutine get_pattern

  ! The coarray as a dummy argument.
  subroutine put_section(target, source, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: target(n)[*]
    real(real64), intent(in) :: source(n)
    target(1:n)[partner] = source(1:n)
  end subroutine put_section

  subroutine get_section(source, target, n)
    integer, intent(in) :: n
    real(real64), intent(in) :: source(n)[*]
    real(real64), intent(out) :: target(n)
    target(1:n) = source(1:n)[partner]
  end subroutine get_section

  ! The pattern holds the partner's numbers, the gaps nothing.
  subroutine verify(shape, put)
    type(pattern), intent(in) :: shape
    logical, intent(in) :: put
    real(real64) :: found, expected
    integer :: i
    do i = 1, shape%extent
      found = merge(x(i), local(i), put)
      expected = merge(value(partner, i), -1.0_real64, mod(i - 1, shape%stride) < shape%block)
      if (found /= expected) error stop 'micro: a transfer arrived wrong'
    end do
  end subroutine verify

end module micro_point
