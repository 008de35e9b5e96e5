! Allocatable components of another image are read and written, of any size on each image.
program allocatable_components
  use expectations
  implicit none
  type :: inner
    integer :: n = 0
    real(8), allocatable :: x(:)
  end type
  type :: box
    integer, allocatable :: s, a(:), m(:, :)
    type(inner) :: in
    type(inner), allocatable :: one, many(:)
  end type
  type(box), save :: b[*]
  type(box), allocatable :: v(:)[:]
  integer, allocatable :: k(:), km(:, :)
  real(8), allocatable :: x(:)
  integer :: me, n, i, j

  me = this_image()
  n = me + 2
  allocate (b%s, source=100 * me)
  allocate (b%a(n), source=[(i * me, i=1, n)])
  allocate (b%m(2, n), source=reshape([(i, i=1, 2 * n)], [2, n]) * me)
  allocate (b%in%x(n), source=[(0.5d0 * i, i=1, n)] + me)
  allocate (b%one)
  allocate (b%one%x(3), source=[1d0, 2d0, 3d0] * me)
  allocate (b%many(2))
  b%many%n = [me, -me]
  do i = 1, 2
    allocate (b%many(i)%x(i + me), source=[(real(10 * i + j, 8), j=1, i + me)])
  end do
  allocate (v(3)[*])
  allocate (v(2)%a(2), source=[me, 2 * me])
  sync all
  j = next()
  call expect(b[j]%s, 100 * j, "scalar got")
  call expect(b[j]%a(j + 2), (j + 2) * j, "element got")
  k = b[j]%a(:)
  call expect(k, [(i * j, i=1, j + 2)], "array got, of the size of the other image")
  k = b[j]%a
  call expect(size(k), j + 2, "array without a section got")
  k = b[j]%a(3:1:-1)
  call expect(k, [3, 2, 1] * j, "section got")
  k = b[j]%a([3, 3, 1])
  call expect(k, [3, 3, 1] * j, "vector subscript got")
  km = b[j]%m
  call expect(size(km, 2), j + 2, "matrix got")
  call expect(km(:, 3), [5, 6] * j, "values of the matrix got")
  k = b[j]%m(2, 1:3:2)
  call expect(k, [2, 6] * j, "row of a matrix got")
  x = b[j]%in%x
  call expect(x, [(0.5d0 * i, i=1, j + 2)] + j, "nested component got")
  x = b[j]%one%x(3:2:-1)
  call expect(x, [3d0, 2d0] * j, "allocatable of an allocatable got")
  call expect(b[j]%many(2)%n, -j, "component of an element of an allocatable got")
  call expect(b[j]%many(2)%x(1), 21d0, "element of an allocatable of an allocatable got")
  call expect(v(2)[j]%a(2), 2 * j, "component of an element of an allocatable coarray got")
  sync all
  b[j]%s = me
  b[j]%a(1) = -me
  b[j]%a(2:3) = [7, 8] + me
  b[j]%m(:, 2) = [me, me + 1]
  b[j]%in%x(3:1:-2) = [0.5d0, 1.5d0]
  b[j]%one%x(2) = -2
  b[j]%one%n = 5
  b[j]%many(1)%x(1:2) = [3d0, 4d0]
  v(2)[j]%a(:) = [9, 10]
  sync all
  i = previous()
  call expect(b%s, i, "scalar put")
  call expect(b%a(1:3), [-i, 7 + i, 8 + i], "elements put")
  call expect(size(b%a), n, "size after elements were put")
  call expect(b%m(:, 2), [i, i + 1], "column put")
  call expect(b%m(:, 3), [5, 6] * me, "column beside")
  call expect(b%in%x(1:3), [1.5d0, 1d0 + me, 0.5d0], "nested section put")
  call expect(b%one%x, [me * 1d0, -2d0, me * 3d0], "allocatable of an allocatable put")
  call expect(b%one%n, 5, "component of an allocatable put")
  call expect(b%many(1)%x(1:2), [3d0, 4d0], "allocatable of an element put")
  call expect(v(2)%a, [9, 10], "component of an element put")
  sync all
  if (me == 1) print '(a)', "ok"
end program
