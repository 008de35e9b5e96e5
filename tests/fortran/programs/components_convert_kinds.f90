! Puts and gets of components convert kinds, also between characters of other lengths.
program components_convert_kinds
  use expectations
  implicit none
  type :: box
    integer, allocatable :: i(:)
    real(8), allocatable :: x(:), s
    complex(4), allocatable :: z(:)
    character(3), allocatable :: c(:)
    logical(1), allocatable :: l(:)
  end type
  type(box), save :: b[*]
  real(4) :: r(3)
  integer(8) :: k(3)
  character(5) :: c(2)
  logical :: l(2)

  allocate (b%i(3), b%x(3), b%z(3), b%c(2), b%s, b%l(2))
  b%i = [1, 2, 3] * this_image()
  b%x = [1.5d0, 2.5d0, -3.5d0]
  b%z = [(1, 2), (3, 4), (5, 6)]
  b%c = ["abc", "def"]
  b%l = [.true., .false.]
  b%s = 0
  sync all
  r = b[next()]%i(3:1:-1)
  call expect(real(r, 8), [3d0, 2d0, 1d0] * next(), "integer(4) got into real(4)")
  k = b[next()]%x(:)
  call expect(int(k), [1, 2, -3], "real(8) got into integer(8)")
  k(1:2) = b[next()]%z(2:3)
  call expect(int(k(1:2)), [3, 5], "complex got into integer(8)")
  c = b[next()]%c(2:1:-1)
  call expect(c(1) // c(2), "def  abc  ", "characters got into longer ones")
  l = b[next()]%l(:)
  call expect(l(1) .and. .not. l(2), .true., "logical(1) got into logical(4)")
  sync all
  b[next()]%i(1:2) = [2.7d0, -2.7d0]
  b[next()]%x(1:3:2) = [7_8, 8_8]
  b[next()]%s = 3
  b[next()]%z(:) = [1, 2, 3]
  b[next()]%c(:) = ["x", "y"]
  b[next()]%l(:) = [.false., .true.]
  sync all
  call expect(b%i(1:2), [2, -2], "real put into integer")
  call expect(b%x, [7d0, 2.5d0, 8d0], "integer(8) put into real(8)")
  call expect(b%s, 3d0, "scalar integer put into real(8)")
  call expect(all(b%z == [1, 2, 3]), .true., "integer put into complex")
  call expect(b%c(1) // b%c(2), "x  y  ", "shorter characters put")
  call expect(logical(b%l(2) .and. .not. b%l(1)), .true., "logical(4) put into logical(1)")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
