! Collectives take sections with strides, any rank, and leave what is beside alone.
program collectives_of_sections
  use expectations
  implicit none
  integer :: a(10), m(4, 5), r(2, 1, 2, 1, 2, 1, 2), i, n, me, s
  real(8) :: x(6)
  integer, allocatable :: alloc(:)
  integer, save :: co(4)[*]
  type :: pair
    integer :: left, right(3)
  end type
  type(pair) :: p

  me = this_image()
  n = num_images()
  s = n * (n + 1) / 2
  a = me
  call co_sum(a(2:10:3))
  call expect(a, [me, s, me, me, s, me, me, s, me, me], "sum of stride 3")
  a = [(i * me, i=1, 10)]
  call co_max(a(9:1:-4))
  call expect(a([1, 5, 9]), [1, 5, 9] * n, "largest of stride -4")
  call expect(a([2, 3, 4, 6, 7, 8, 10]), [2, 3, 4, 6, 7, 8, 10] * me, "beside stride -4")
  m = reshape([(i, i=1, 20)], [4, 5]) * me
  call co_broadcast(m(2:4:2, 5:1:-2), n)
  call expect(reshape(m(2:4:2, 1:5:2), [6]), [2, 4, 10, 12, 18, 20] * n, "broadcast of a section")
  call expect(m(:, 2), [5, 6, 7, 8] * me, "column beside")
  call expect(m(1, :), [1, 5, 9, 13, 17] * me, "row beside")
  r = me
  call co_sum(r)
  call expect(reshape(r, [16]), [(s, i=1, 16)], "rank 7")
  r = me
  call co_sum(r(2, :, :, 1, 1, :, 2:1:-1))
  call expect(sum(r), 4 * s + 12 * me, "section of rank 7")
  x = 0.5d0 * me
  call co_sum(x(::2))
  call expect(x, [s, me, s, me, s, me] * 0.5d0, "real stride 2")
  allocate (alloc(1000), source=me)
  call co_sum(alloc)
  call expect(all(alloc == s), .true., "allocatable")
  co = me
  call co_min(co(1:4:3))
  call expect(co, [1, me, me, 1], "coarray")
  p = pair(me, [-me, 1, me])
  call co_sum(p%right)
  call expect(p%right, [-s, n, s], "array component")
  call expect(p%left, me, "component beside")
  call co_broadcast(p%right(1:3:2), 1)
  call expect(p%right, [-s, n, s], "section of a component")
  call by_shape(m(1:3:2, :))
  if (me == 1) print '(a)', "ok"

contains

  subroutine by_shape(x)
    integer, intent(inout) :: x(:, 0:)
    x = me
    call co_sum(x(:, 1:))
    call expect([x(1, 0), x(2, 4)], [me, s], "dummy of assumed shape")
  end subroutine
end program
