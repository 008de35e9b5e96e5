! Conversions follow intrinsic assignment: truncation, real parts, logical kinds, precision.
program conversions_of_values
  use expectations
  implicit none
  integer, save :: i4(4)[*], s4[*]
  integer(8), save :: i8(2)[*]
  integer(1), save :: i1(3)[*]
  real(4), save :: r4(4)[*]
  real(8), save :: r8(4)[*], s8[*]
  complex(8), save :: z8(4)[*]
  logical(1), save :: l1(3)[*]
  logical(4), save :: l4(3)[*]
  logical(8), save :: l8(3)[*]
  logical(16), save :: l16(3)[*]
  real(8) :: x(4)
  complex(8) :: w(4)
  logical :: l(3)
  integer :: k(4)

  x = [2.7d0, -2.7d0, 0.1d0, 1d6]
  w = cmplx(x, -x, 8)
  l = [.true., .false., .true.]
  i4(:)[next()] = x
  r4(:)[next()] = x
  r8(:)[next()] = w
  z8(:)[next()] = x
  s4[next()] = x(2)
  s8[next()] = 3
  i8(:)[next()] = [-1, huge(1)]
  i1(:)[next()] = [127, -128, -1]
  l1(:)[next()] = l
  l8(:)[next()] = l
  l16(:)[next()] = l
  l4(3:1:-1)[next()] = logical(.not. l, 1)
  sync all
  call expect(i4, [2, -2, 0, 1000000], "real(8) to integer(4)")
  call expect(all(r4 == real(x, 4)), .true., "real(8) to real(4)")
  call expect(r8, x, "complex to real")
  call expect(all(z8 == cmplx(x, 0, 8)), .true., "real to complex")
  call expect(s4, -2, "scalar real to integer")
  call expect(s8, 3d0, "scalar integer to real")
  call expect(i8(1), -1_8, "integer(4) to integer(8), sign")
  call expect(i8(2), int(huge(1), 8), "integer(4) to integer(8)")
  call expect(int(i1), [127, -128, -1], "integer(4) to integer(1)")
  call expect(logical(all(l1 .eqv. l)), .true., "logical(4) to logical(1)")
  call expect(logical(all(l8 .eqv. l)), .true., "logical(8)")
  call expect(logical(all(l16 .eqv. l)), .true., "logical(16)")
  call expect(all(l4 .eqv. .not. l), .true., "logical(1) to logical(4)")
  sync all
  z8 = w
  r8 = x
  sync all
  k = r8(:)[next()]
  call expect(k, [2, -2, 0, 1000000], "real(8) got into integer(4)")
  k = z8(4:1:-1)[next()]
  call expect(k, [1000000, 0, -2, 2], "complex got into integer(4)")
  r4 = z8(:)[next()]
  call expect(all(r4 == real(x, 4)), .true., "complex(8) got into real(4)")
  l = l1(:)[next()]
  call expect(all(l .eqv. [.true., .false., .true.]), .true., "logical(1) got into logical(4)")
  sync all
  i4(:)[next()] = z8(4:1:-1)[previous()]
  r8(2:3)[next()] = i8(:)[previous()]
  sync all
  call expect(i4, [1000000, 0, -2, 2], "complex to integer between other images")
  call expect(r8(2:3), [-1d0, real(huge(1), 8)], "integer to real between other images")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
