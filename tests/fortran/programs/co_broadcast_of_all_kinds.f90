! CO_BROADCAST hands each numeric and logical kind from one image to all.
program co_broadcast_of_all_kinds
  use expectations
  implicit none
  integer(1) :: i1, ai1(2, 2)
  integer(2) :: i2, ai2(2, 2)
  integer(4) :: i4, ai4(2, 2)
  integer(8) :: i8, ai8(2, 2)
  integer(16) :: i16, ai16(2, 2)
  real(4) :: r4, ar4(2, 2)
  real(8) :: r8, ar8(2, 2)
  real(10) :: r10, ar10(2, 2)
  real(16) :: r16, ar16(2, 2)
  complex(4) :: z4, az4(2, 2)
  complex(8) :: z8, az8(2, 2)
  complex(10) :: z10, az10(2, 2)
  complex(16) :: z16, az16(2, 2)
  logical(1) :: l1, al1(2)
  logical(2) :: l2, al2(2)
  logical(4) :: l4, al4(2)
  logical(8) :: l8, al8(2)
  logical(16) :: l16, al16(2)
  integer :: n, me

  me = this_image()
  n = num_images()


  i1 = int(me, 1)
  call co_broadcast(i1, n)
  call expect(i1 == n, .true., "integer(1)")
  ai1 = int(me, 1)
  if (me == 1) ai1(2, 1) = 9
  call co_broadcast(ai1, 1)
  call expect(all(ai1(:, 2) == 1) .and. ai1(2, 1) == 9, .true., "array of integer(1)")

  i2 = int(me, 1)
  call co_broadcast(i2, n)
  call expect(i2 == n, .true., "integer(2)")
  ai2 = int(me, 1)
  if (me == 1) ai2(2, 1) = 9
  call co_broadcast(ai2, 1)
  call expect(all(ai2(:, 2) == 1) .and. ai2(2, 1) == 9, .true., "array of integer(2)")

  i4 = int(me, 1)
  call co_broadcast(i4, n)
  call expect(i4 == n, .true., "integer(4)")
  ai4 = int(me, 1)
  if (me == 1) ai4(2, 1) = 9
  call co_broadcast(ai4, 1)
  call expect(all(ai4(:, 2) == 1) .and. ai4(2, 1) == 9, .true., "array of integer(4)")

  i8 = int(me, 1)
  call co_broadcast(i8, n)
  call expect(i8 == n, .true., "integer(8)")
  ai8 = int(me, 1)
  if (me == 1) ai8(2, 1) = 9
  call co_broadcast(ai8, 1)
  call expect(all(ai8(:, 2) == 1) .and. ai8(2, 1) == 9, .true., "array of integer(8)")

  i16 = int(me, 1)
  call co_broadcast(i16, n)
  call expect(i16 == n, .true., "integer(16)")
  ai16 = int(me, 1)
  if (me == 1) ai16(2, 1) = 9
  call co_broadcast(ai16, 1)
  call expect(all(ai16(:, 2) == 1) .and. ai16(2, 1) == 9, .true., "array of integer(16)")

  r4 = int(me, 1)
  call co_broadcast(r4, n)
  call expect(r4 == n, .true., "real(4)")
  ar4 = int(me, 1)
  if (me == 1) ar4(2, 1) = 9
  call co_broadcast(ar4, 1)
  call expect(all(ar4(:, 2) == 1) .and. ar4(2, 1) == 9, .true., "array of real(4)")

  r8 = int(me, 1)
  call co_broadcast(r8, n)
  call expect(r8 == n, .true., "real(8)")
  ar8 = int(me, 1)
  if (me == 1) ar8(2, 1) = 9
  call co_broadcast(ar8, 1)
  call expect(all(ar8(:, 2) == 1) .and. ar8(2, 1) == 9, .true., "array of real(8)")

  r10 = int(me, 1)
  call co_broadcast(r10, n)
  call expect(r10 == n, .true., "real(10)")
  ar10 = int(me, 1)
  if (me == 1) ar10(2, 1) = 9
  call co_broadcast(ar10, 1)
  call expect(all(ar10(:, 2) == 1) .and. ar10(2, 1) == 9, .true., "array of real(10)")

  r16 = int(me, 1)
  call co_broadcast(r16, n)
  call expect(r16 == n, .true., "real(16)")
  ar16 = int(me, 1)
  if (me == 1) ar16(2, 1) = 9
  call co_broadcast(ar16, 1)
  call expect(all(ar16(:, 2) == 1) .and. ar16(2, 1) == 9, .true., "array of real(16)")

  z4 = int(me, 1)
  call co_broadcast(z4, n)
  call expect(z4 == n, .true., "complex(4)")
  az4 = int(me, 1)
  if (me == 1) az4(2, 1) = 9
  call co_broadcast(az4, 1)
  call expect(all(az4(:, 2) == 1) .and. az4(2, 1) == 9, .true., "array of complex(4)")

  z8 = int(me, 1)
  call co_broadcast(z8, n)
  call expect(z8 == n, .true., "complex(8)")
  az8 = int(me, 1)
  if (me == 1) az8(2, 1) = 9
  call co_broadcast(az8, 1)
  call expect(all(az8(:, 2) == 1) .and. az8(2, 1) == 9, .true., "array of complex(8)")

  z10 = int(me, 1)
  call co_broadcast(z10, n)
  call expect(z10 == n, .true., "complex(10)")
  az10 = int(me, 1)
  if (me == 1) az10(2, 1) = 9
  call co_broadcast(az10, 1)
  call expect(all(az10(:, 2) == 1) .and. az10(2, 1) == 9, .true., "array of complex(10)")

  z16 = int(me, 1)
  call co_broadcast(z16, n)
  call expect(z16 == n, .true., "complex(16)")
  az16 = int(me, 1)
  if (me == 1) az16(2, 1) = 9
  call co_broadcast(az16, 1)
  call expect(all(az16(:, 2) == 1) .and. az16(2, 1) == 9, .true., "array of complex(16)")

  l1 = me == n
  call co_broadcast(l1, n)
  call expect(logical(l1), .true., "logical(1)")
  al1 = [me == 1, me /= 1]
  call co_broadcast(al1, 1)
  call expect(logical(al1(1) .and. .not. al1(2)), .true., "array of logical(1)")

  l2 = me == n
  call co_broadcast(l2, n)
  call expect(logical(l2), .true., "logical(2)")
  al2 = [me == 1, me /= 1]
  call co_broadcast(al2, 1)
  call expect(logical(al2(1) .and. .not. al2(2)), .true., "array of logical(2)")

  l4 = me == n
  call co_broadcast(l4, n)
  call expect(logical(l4), .true., "logical(4)")
  al4 = [me == 1, me /= 1]
  call co_broadcast(al4, 1)
  call expect(logical(al4(1) .and. .not. al4(2)), .true., "array of logical(4)")

  l8 = me == n
  call co_broadcast(l8, n)
  call expect(logical(l8), .true., "logical(8)")
  al8 = [me == 1, me /= 1]
  call co_broadcast(al8, 1)
  call expect(logical(al8(1) .and. .not. al8(2)), .true., "array of logical(8)")

  l16 = me == n
  call co_broadcast(l16, n)
  call expect(logical(l16), .true., "logical(16)")
  al16 = [me == 1, me /= 1]
  call co_broadcast(al16, 1)
  call expect(logical(al16(1) .and. .not. al16(2)), .true., "array of logical(16)")

  if (this_image() == 1) print '(a)', "ok"
end program
