! A get converts each numeric kind to each complex kind.
! Written by a loop over the kinds: each target from each source, turned round.
program get_converts_to_complex
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
  complex(4) :: to_z4(3)
  complex(8) :: to_z8(3)
  complex(10) :: to_z10(3)
  complex(16) :: to_z16(3)

  i1 = [5, 6, 7]
  i2 = [5, 6, 7]
  i4 = [5, 6, 7]
  i8 = [5, 6, 7]
  i16 = [5, 6, 7]
  r4 = [5, 6, 7]
  r8 = [5, 6, 7]
  r10 = [5, 6, 7]
  r16 = [5, 6, 7]
  z4 = [5, 6, 7]
  z8 = [5, 6, 7]
  z10 = [5, 6, 7]
  z16 = [5, 6, 7]
  sync all
  call into_complex_4()
  call into_complex_8()
  call into_complex_10()
  call into_complex_16()
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine into_complex_4()
    to_z4 = 0; to_z4(3:1:-1) = i1(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = integer(1)")
    to_z4 = 0; to_z4(3:1:-1) = i2(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = integer(2)")
    to_z4 = 0; to_z4(3:1:-1) = i4(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = integer(4)")
    to_z4 = 0; to_z4(3:1:-1) = i8(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = integer(8)")
    to_z4 = 0; to_z4(3:1:-1) = i16(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = integer(16)")
    to_z4 = 0; to_z4(3:1:-1) = r4(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = real(4)")
    to_z4 = 0; to_z4(3:1:-1) = r8(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = real(8)")
    to_z4 = 0; to_z4(3:1:-1) = r10(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = real(10)")
    to_z4 = 0; to_z4(3:1:-1) = r16(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = real(16)")
    to_z4 = 0; to_z4(3:1:-1) = z4(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = complex(4)")
    to_z4 = 0; to_z4(3:1:-1) = z8(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = complex(8)")
    to_z4 = 0; to_z4(3:1:-1) = z10(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = complex(10)")
    to_z4 = 0; to_z4(3:1:-1) = z16(:)[next()]
    call expect(all(to_z4 == [7, 6, 5]), .true., "complex(4) = complex(16)")
  end subroutine

  subroutine into_complex_8()
    to_z8 = 0; to_z8(3:1:-1) = i1(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = integer(1)")
    to_z8 = 0; to_z8(3:1:-1) = i2(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = integer(2)")
    to_z8 = 0; to_z8(3:1:-1) = i4(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = integer(4)")
    to_z8 = 0; to_z8(3:1:-1) = i8(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = integer(8)")
    to_z8 = 0; to_z8(3:1:-1) = i16(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = integer(16)")
    to_z8 = 0; to_z8(3:1:-1) = r4(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = real(4)")
    to_z8 = 0; to_z8(3:1:-1) = r8(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = real(8)")
    to_z8 = 0; to_z8(3:1:-1) = r10(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = real(10)")
    to_z8 = 0; to_z8(3:1:-1) = r16(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = real(16)")
    to_z8 = 0; to_z8(3:1:-1) = z4(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = complex(4)")
    to_z8 = 0; to_z8(3:1:-1) = z8(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = complex(8)")
    to_z8 = 0; to_z8(3:1:-1) = z10(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = complex(10)")
    to_z8 = 0; to_z8(3:1:-1) = z16(:)[next()]
    call expect(all(to_z8 == [7, 6, 5]), .true., "complex(8) = complex(16)")
  end subroutine

  subroutine into_complex_10()
    to_z10 = 0; to_z10(3:1:-1) = i1(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = integer(1)")
    to_z10 = 0; to_z10(3:1:-1) = i2(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = integer(2)")
    to_z10 = 0; to_z10(3:1:-1) = i4(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = integer(4)")
    to_z10 = 0; to_z10(3:1:-1) = i8(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = integer(8)")
    to_z10 = 0; to_z10(3:1:-1) = i16(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = integer(16)")
    to_z10 = 0; to_z10(3:1:-1) = r4(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = real(4)")
    to_z10 = 0; to_z10(3:1:-1) = r8(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = real(8)")
    to_z10 = 0; to_z10(3:1:-1) = r10(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = real(10)")
    to_z10 = 0; to_z10(3:1:-1) = r16(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = real(16)")
    to_z10 = 0; to_z10(3:1:-1) = z4(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = complex(4)")
    to_z10 = 0; to_z10(3:1:-1) = z8(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = complex(8)")
    to_z10 = 0; to_z10(3:1:-1) = z10(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = complex(10)")
    to_z10 = 0; to_z10(3:1:-1) = z16(:)[next()]
    call expect(all(to_z10 == [7, 6, 5]), .true., "complex(10) = complex(16)")
  end subroutine

  subroutine into_complex_16()
    to_z16 = 0; to_z16(3:1:-1) = i1(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = integer(1)")
    to_z16 = 0; to_z16(3:1:-1) = i2(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = integer(2)")
    to_z16 = 0; to_z16(3:1:-1) = i4(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = integer(4)")
    to_z16 = 0; to_z16(3:1:-1) = i8(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = integer(8)")
    to_z16 = 0; to_z16(3:1:-1) = i16(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = integer(16)")
    to_z16 = 0; to_z16(3:1:-1) = r4(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = real(4)")
    to_z16 = 0; to_z16(3:1:-1) = r8(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = real(8)")
    to_z16 = 0; to_z16(3:1:-1) = r10(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = real(10)")
    to_z16 = 0; to_z16(3:1:-1) = r16(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = real(16)")
    to_z16 = 0; to_z16(3:1:-1) = z4(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = complex(4)")
    to_z16 = 0; to_z16(3:1:-1) = z8(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = complex(8)")
    to_z16 = 0; to_z16(3:1:-1) = z10(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = complex(10)")
    to_z16 = 0; to_z16(3:1:-1) = z16(:)[next()]
    call expect(all(to_z16 == [7, 6, 5]), .true., "complex(16) = complex(16)")
  end subroutine
end program
