! Scalars of each type arrive, and one image may put into all.
program put_and_get_of_scalars
  use expectations
  implicit none
  integer, save :: i4[*], table(40)[*]
  integer(8), save :: i8[*]
  real(4), save :: r4[*]
  real(8), save :: r8[*]
  complex(8), allocatable :: z8[:]
  logical, save :: l4[*]
  character(6), save :: c[*]
  character(6) :: word
  integer :: i, me

  me = this_image()
  allocate (z8[*])
  i4[next()] = me
  i8[next()] = 10000000000_8 * me
  r4[next()] = 0.25 * me
  r8[next()] = 0.1d0 * me
  z8[next()] = (1d0, -2d0) * me
  l4[next()] = mod(me, 2) == 0
  word = "image" // achar(48 + me)
  c[next()] = word
  do i = 1, num_images()
    table(me)[i] = 100 * me + i
  end do
  sync all
  call expect(i4, previous(), "integer(4)")
  call expect(i8 == 10000000000_8 * previous(), .true., "integer(8)")
  call expect(real(r4, 8), 0.25d0 * previous(), "real(4)")
  call expect(r8, 0.1d0 * previous(), "real(8)")
  call expect(real(z8), 1d0 * previous(), "complex, real part")
  call expect(aimag(z8), -2d0 * previous(), "complex, imaginary part")
  call expect(l4, mod(previous(), 2) == 0, "logical")
  call expect(c, "image" // achar(48 + previous()), "character")
  call expect(table(:num_images()), [(100 * i + me, i=1, num_images())], "table")
  do i = 1, num_images()
    call expect(i4[i], merge(num_images(), i - 1, i == 1), "integer got")
    call expect(table(i)[i], 101 * i, "element got")
    call expect(r8[i] + i4[i] * 0, 0.1d0 * i4[i], "real in an expression")
  end do
  call expect(sum([(i4[i], i=1, num_images())]), num_images() * (num_images() + 1) / 2, &
              "sum of all got in an implied do")
  sync all
  if (me == 1) print '(a)', "ok"
end program
