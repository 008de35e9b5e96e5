! A put converts each numeric kind to each complex kind.
! Written by a loop over the kinds: each target from each source, turned round.
program put_converts_to_complex
  use expectations
  implicit none
  integer(1), save :: i1(3)[*]
  integer(2), save :: i2(3)[*]
  integer(4), save :: i4(3)[*]
  integer(8), save :: i8(3)[*]
  integer(16), save :: i16(3)[*]
  real(4), save :: r4(3)[*]
  real(8), save :: r8(3)[*]
  real(10), save :: r10(3)[*]
  real(16), save :: r16(3)[*]
  complex(4), save :: z4(3)[*]
  complex(8), save :: z8(3)[*]
  complex(10), save :: z10(3)[*]
  complex(16), save :: z16(3)[*]
  integer(1) :: from_i1(3)
  integer(2) :: from_i2(3)
  integer(4) :: from_i4(3)
  integer(8) :: from_i8(3)
  integer(16) :: from_i16(3)
  real(4) :: from_r4(3)
  real(8) :: from_r8(3)
  real(10) :: from_r10(3)
  real(16) :: from_r16(3)
  complex(4) :: from_z4(3)
  complex(8) :: from_z8(3)
  complex(10) :: from_z10(3)
  complex(16) :: from_z16(3)

  from_i1 = [5, 6, 7]
  from_i2 = [5, 6, 7]
  from_i4 = [5, 6, 7]
  from_i8 = [5, 6, 7]
  from_i16 = [5, 6, 7]
  from_r4 = [5, 6, 7]
  from_r8 = [5, 6, 7]
  from_r10 = [5, 6, 7]
  from_r16 = [5, 6, 7]
  from_z4 = [5, 6, 7]
  from_z8 = [5, 6, 7]
  from_z10 = [5, 6, 7]
  from_z16 = [5, 6, 7]
  sync all
  call into_complex_4()
  call into_complex_8()
  call into_complex_10()
  call into_complex_16()
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine into_complex_4()
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_i1; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = integer(1)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_i2; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = integer(2)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_i4; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = integer(4)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_i8; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = integer(8)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_i16; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = integer(16)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_r4; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = real(4)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_r8; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = real(8)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_r10; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = real(10)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_r16; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = real(16)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_z4; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = complex(4)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_z8; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = complex(8)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_z10; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = complex(10)"); sync all
    z4 = 0; sync all; z4(3:1:-1)[next()] = from_z16; sync all
    call expect(all(z4 == [7, 6, 5]), .true., "complex(4) = complex(16)"); sync all
  end subroutine

  subroutine into_complex_8()
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_i1; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = integer(1)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_i2; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = integer(2)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_i4; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = integer(4)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_i8; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = integer(8)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_i16; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = integer(16)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_r4; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = real(4)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_r8; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = real(8)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_r10; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = real(10)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_r16; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = real(16)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_z4; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = complex(4)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_z8; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = complex(8)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_z10; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = complex(10)"); sync all
    z8 = 0; sync all; z8(3:1:-1)[next()] = from_z16; sync all
    call expect(all(z8 == [7, 6, 5]), .true., "complex(8) = complex(16)"); sync all
  end subroutine

  subroutine into_complex_10()
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_i1; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = integer(1)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_i2; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = integer(2)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_i4; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = integer(4)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_i8; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = integer(8)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_i16; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = integer(16)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_r4; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = real(4)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_r8; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = real(8)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_r10; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = real(10)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_r16; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = real(16)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_z4; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = complex(4)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_z8; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = complex(8)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_z10; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = complex(10)"); sync all
    z10 = 0; sync all; z10(3:1:-1)[next()] = from_z16; sync all
    call expect(all(z10 == [7, 6, 5]), .true., "complex(10) = complex(16)"); sync all
  end subroutine

  subroutine into_complex_16()
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_i1; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = integer(1)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_i2; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = integer(2)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_i4; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = integer(4)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_i8; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = integer(8)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_i16; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = integer(16)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_r4; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = real(4)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_r8; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = real(8)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_r10; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = real(10)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_r16; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = real(16)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_z4; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = complex(4)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_z8; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = complex(8)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_z10; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = complex(10)"); sync all
    z16 = 0; sync all; z16(3:1:-1)[next()] = from_z16; sync all
    call expect(all(z16 == [7, 6, 5]), .true., "complex(16) = complex(16)"); sync all
  end subroutine
end program
