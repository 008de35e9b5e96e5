! CO_MIN and CO_MAX find the least and the largest of each kind, negative ones too.
! Not of kind 10: for the compiler hands it over as it does kind 16.
program co_min_and_co_max_of_all_kinds
  use expectations
  implicit none
  integer(1) :: i1, ai1(3)
  integer(2) :: i2, ai2(3)
  integer(4) :: i4, ai4(3)
  integer(8) :: i8, ai8(3)
  integer(16) :: i16, ai16(3)
  real(4) :: r4, ar4(3)
  real(8) :: r8, ar8(3)
  real(16) :: r16, ar16(3)
  integer :: n, me

  me = this_image()
  n = num_images()

  i1 = int(-me, 1)
  call co_min(i1)
  call expect(i1 == -n, .true., "least integer(1)")
  i1 = int(-me, 1)
  call co_max(i1)
  call expect(i1 == -1, .true., "largest integer(1)")
  ai1 = [1, 2, -me]
  call co_max(ai1)
  call expect(all(ai1 == [1, 2, -1]), .true., "largest of an array, integer(1)")
  ai1 = [me, 5, -me]
  call co_min(ai1)
  call expect(all(ai1 == [1, 5, -n]), .true., "least of an array, integer(1)")

  i2 = int(-me, 1)
  call co_min(i2)
  call expect(i2 == -n, .true., "least integer(2)")
  i2 = int(-me, 1)
  call co_max(i2)
  call expect(i2 == -1, .true., "largest integer(2)")
  ai2 = [1, 2, -me]
  call co_max(ai2)
  call expect(all(ai2 == [1, 2, -1]), .true., "largest of an array, integer(2)")
  ai2 = [me, 5, -me]
  call co_min(ai2)
  call expect(all(ai2 == [1, 5, -n]), .true., "least of an array, integer(2)")

  i4 = int(-me, 1)
  call co_min(i4)
  call expect(i4 == -n, .true., "least integer(4)")
  i4 = int(-me, 1)
  call co_max(i4)
  call expect(i4 == -1, .true., "largest integer(4)")
  ai4 = [1, 2, -me]
  call co_max(ai4)
  call expect(all(ai4 == [1, 2, -1]), .true., "largest of an array, integer(4)")
  ai4 = [me, 5, -me]
  call co_min(ai4)
  call expect(all(ai4 == [1, 5, -n]), .true., "least of an array, integer(4)")

  i8 = int(-me, 1)
  call co_min(i8)
  call expect(i8 == -n, .true., "least integer(8)")
  i8 = int(-me, 1)
  call co_max(i8)
  call expect(i8 == -1, .true., "largest integer(8)")
  ai8 = [1, 2, -me]
  call co_max(ai8)
  call expect(all(ai8 == [1, 2, -1]), .true., "largest of an array, integer(8)")
  ai8 = [me, 5, -me]
  call co_min(ai8)
  call expect(all(ai8 == [1, 5, -n]), .true., "least of an array, integer(8)")

  i16 = int(-me, 1)
  call co_min(i16)
  call expect(i16 == -n, .true., "least integer(16)")
  i16 = int(-me, 1)
  call co_max(i16)
  call expect(i16 == -1, .true., "largest integer(16)")
  ai16 = [1, 2, -me]
  call co_max(ai16)
  call expect(all(ai16 == [1, 2, -1]), .true., "largest of an array, integer(16)")
  ai16 = [me, 5, -me]
  call co_min(ai16)
  call expect(all(ai16 == [1, 5, -n]), .true., "least of an array, integer(16)")

  r4 = int(-me, 1)
  call co_min(r4)
  call expect(r4 == -n, .true., "least real(4)")
  r4 = int(-me, 1)
  call co_max(r4)
  call expect(r4 == -1, .true., "largest real(4)")
  ar4 = [1, 2, -me]
  call co_max(ar4)
  call expect(all(ar4 == [1, 2, -1]), .true., "largest of an array, real(4)")
  ar4 = [me, 5, -me]
  call co_min(ar4)
  call expect(all(ar4 == [1, 5, -n]), .true., "least of an array, real(4)")

  r8 = int(-me, 1)
  call co_min(r8)
  call expect(r8 == -n, .true., "least real(8)")
  r8 = int(-me, 1)
  call co_max(r8)
  call expect(r8 == -1, .true., "largest real(8)")
  ar8 = [1, 2, -me]
  call co_max(ar8)
  call expect(all(ar8 == [1, 2, -1]), .true., "largest of an array, real(8)")
  ar8 = [me, 5, -me]
  call co_min(ar8)
  call expect(all(ar8 == [1, 5, -n]), .true., "least of an array, real(8)")

  r16 = int(-me, 1)
  call co_min(r16)
  call expect(r16 == -n, .true., "least real(16)")
  r16 = int(-me, 1)
  call co_max(r16)
  call expect(r16 == -1, .true., "largest real(16)")
  ar16 = [1, 2, -me]
  call co_max(ar16)
  call expect(all(ar16 == [1, 2, -1]), .true., "largest of an array, real(16)")
  ar16 = [me, 5, -me]
  call co_min(ar16)
  call expect(all(ar16 == [1, 5, -n]), .true., "least of an array, real(16)")

  if (this_image() == 1) print '(a)', "ok"
end program
