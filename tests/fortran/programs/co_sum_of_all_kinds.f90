! CO_SUM adds scalars and arrays of each numeric kind.
! Not of kind 10: for the compiler hands it over as it does kind 16.
program co_sum_of_all_kinds
  use expectations
  implicit none
  integer(1) :: i1, ai1(2, 3)
  integer(2) :: i2, ai2(2, 3)
  integer(4) :: i4, ai4(2, 3)
  integer(8) :: i8, ai8(2, 3)
  integer(16) :: i16, ai16(2, 3)
  real(4) :: r4, ar4(2, 3)
  real(8) :: r8, ar8(2, 3)
  real(16) :: r16, ar16(2, 3)
  complex(4) :: z4, az4(2, 3)
  complex(8) :: z8, az8(2, 3)
  complex(16) :: z16, az16(2, 3)
  integer :: n, me, s

  me = this_image()
  n = num_images()
  s = n * (n + 1) / 2

  i1 = int(me, 1)
  call co_sum(i1)
  call expect(i1 == s, .true., "integer(1)")
  ai1 = int(me, 1); ai1(2, 3) = 1
  call co_sum(ai1)
  call expect(all(ai1(1, :) == s) .and. ai1(2, 3) == n, .true., "array of integer(1)")

  i2 = int(me, 1)
  call co_sum(i2)
  call expect(i2 == s, .true., "integer(2)")
  ai2 = int(me, 1); ai2(2, 3) = 1
  call co_sum(ai2)
  call expect(all(ai2(1, :) == s) .and. ai2(2, 3) == n, .true., "array of integer(2)")

  i4 = int(me, 1)
  call co_sum(i4)
  call expect(i4 == s, .true., "integer(4)")
  ai4 = int(me, 1); ai4(2, 3) = 1
  call co_sum(ai4)
  call expect(all(ai4(1, :) == s) .and. ai4(2, 3) == n, .true., "array of integer(4)")

  i8 = int(me, 1)
  call co_sum(i8)
  call expect(i8 == s, .true., "integer(8)")
  ai8 = int(me, 1); ai8(2, 3) = 1
  call co_sum(ai8)
  call expect(all(ai8(1, :) == s) .and. ai8(2, 3) == n, .true., "array of integer(8)")

  i16 = int(me, 1)
  call co_sum(i16)
  call expect(i16 == s, .true., "integer(16)")
  ai16 = int(me, 1); ai16(2, 3) = 1
  call co_sum(ai16)
  call expect(all(ai16(1, :) == s) .and. ai16(2, 3) == n, .true., "array of integer(16)")

  r4 = int(me, 1)
  call co_sum(r4)
  call expect(r4 == s, .true., "real(4)")
  ar4 = int(me, 1); ar4(2, 3) = 1
  call co_sum(ar4)
  call expect(all(ar4(1, :) == s) .and. ar4(2, 3) == n, .true., "array of real(4)")

  r8 = int(me, 1)
  call co_sum(r8)
  call expect(r8 == s, .true., "real(8)")
  ar8 = int(me, 1); ar8(2, 3) = 1
  call co_sum(ar8)
  call expect(all(ar8(1, :) == s) .and. ar8(2, 3) == n, .true., "array of real(8)")

  r16 = int(me, 1)
  call co_sum(r16)
  call expect(r16 == s, .true., "real(16)")
  ar16 = int(me, 1); ar16(2, 3) = 1
  call co_sum(ar16)
  call expect(all(ar16(1, :) == s) .and. ar16(2, 3) == n, .true., "array of real(16)")

  z4 = int(me, 1)
  call co_sum(z4)
  call expect(z4 == s, .true., "complex(4)")
  az4 = int(me, 1); az4(2, 3) = 1
  call co_sum(az4)
  call expect(all(az4(1, :) == s) .and. az4(2, 3) == n, .true., "array of complex(4)")

  z8 = int(me, 1)
  call co_sum(z8)
  call expect(z8 == s, .true., "complex(8)")
  az8 = int(me, 1); az8(2, 3) = 1
  call co_sum(az8)
  call expect(all(az8(1, :) == s) .and. az8(2, 3) == n, .true., "array of complex(8)")

  z16 = int(me, 1)
  call co_sum(z16)
  call expect(z16 == s, .true., "complex(16)")
  az16 = int(me, 1); az16(2, 3) = 1
  call co_sum(az16)
  call expect(all(az16(1, :) == s) .and. az16(2, 3) == n, .true., "array of complex(16)")

  if (this_image() == 1) print '(a)', "ok"
end program
