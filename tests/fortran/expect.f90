! What the programs here share: a wrong value ends the whole program and says what it was.
module expectations
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  private
  public :: expect, at_least, next, previous

  interface expect
    procedure :: expect_int32, expect_int64, expect_int32s, expect_real64, expect_real64s
    procedure :: expect_logical, expect_character
  end interface

contains

  ! The image after this one, in a ring.
  integer function next()
    next = merge(1, this_image() + 1, this_image() == num_images())
  end function

  integer function previous()
    previous = merge(num_images(), this_image() - 1, this_image() == 1)
  end function

  subroutine expect_int32(found, expected, what)
    integer(int32), intent(in) :: found, expected
    character(*), intent(in) :: what
    call expect_int64(int(found, int64), int(expected, int64), what)
  end subroutine

  subroutine expect_int64(found, expected, what)
    integer(int64), intent(in) :: found, expected
    character(*), intent(in) :: what
    character(20) :: e, f
    if (found == expected) return
    write (e, '(i0)') expected
    write (f, '(i0)') found
    call wrong(what, trim(e), trim(f))
  end subroutine

  subroutine expect_int32s(found, expected, what)
    integer(int32), intent(in) :: found(:), expected(:)
    character(*), intent(in) :: what
    character(400) :: e, f
    if (size(found) == size(expected)) then
      if (all(found == expected)) return
    end if
    write (e, '(30(i0, 1x))') expected(:min(30, size(expected)))
    write (f, '(30(i0, 1x))') found(:min(30, size(found)))
    call wrong(what, trim(e), trim(f))
  end subroutine

  subroutine expect_real64(found, expected, what)
    real(real64), intent(in) :: found, expected
    character(*), intent(in) :: what
    call expect_real64s([found], [expected], what)
  end subroutine

  subroutine expect_real64s(found, expected, what)
    real(real64), intent(in) :: found(:), expected(:)
    character(*), intent(in) :: what
    character(400) :: e, f
    if (size(found) == size(expected)) then
      if (all(abs(found - expected) <= 0)) return
    end if
    write (e, '(16(g0.8, 1x))') expected(:min(16, size(expected)))
    write (f, '(16(g0.8, 1x))') found(:min(16, size(found)))
    call wrong(what, trim(e), trim(f))
  end subroutine

  subroutine expect_logical(found, expected, what)
    logical, intent(in) :: found, expected
    character(*), intent(in) :: what
    if (found .eqv. expected) return
    call wrong(what, merge("true ", "false", expected), merge("true ", "false", found))
  end subroutine

  subroutine expect_character(found, expected, what)
    character(*), intent(in) :: found, expected, what
    if (len(found) == len(expected) .and. found == expected) return
    call wrong(what, '"' // expected // '"', '"' // found // '"')
  end subroutine

  subroutine at_least(found, least, what)
    integer, intent(in) :: found, least
    character(*), intent(in) :: what
    character(20) :: e, f
    if (found >= least) return
    write (e, '("at least ", i0)') least
    write (f, '(i0)') found
    call wrong(what, trim(e), trim(f))
  end subroutine

  subroutine wrong(what, expected, found)
    character(*), intent(in) :: what, expected, found
    character(1000) :: message
    write (message, '("image ", i0, ": ", 5a)') this_image(), what, ": expected ", expected, &
      ", found ", found
    error stop trim(message)
  end subroutine
end module
