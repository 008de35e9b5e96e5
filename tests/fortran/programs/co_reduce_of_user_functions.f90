! CO_REDUCE combines by any function, with arguments by reference or by value.
module functions
  implicit none
  type :: both
    integer(8) :: least, largest, count
  end type

contains

  pure integer function product_of(a, b)
    integer, intent(in) :: a, b
    product_of = a * b
  end function

  pure integer function product_by_value(a, b)
    integer, value :: a, b
    product_by_value = a * b
  end function

  pure integer function sum_of(a, b)
    integer, intent(in) :: a, b
    sum_of = a + b
  end function

  pure integer(8) function larger8(a, b)
    integer(8), intent(in) :: a, b
    larger8 = max(a, b)
  end function

  pure integer(2) function larger2(a, b)
    integer(2), value :: a, b
    larger2 = max(a, b)
  end function

  pure real(4) function larger4(a, b)
    real(4), value :: a, b
    larger4 = max(a, b)
  end function

  pure real(8) function times(a, b)
    real(8), intent(in) :: a, b
    times = a * b
  end function

  pure real(8) function times_by_value(a, b)
    real(8), value :: a, b
    times_by_value = a * b
  end function

  pure complex(8) function ztimes(a, b)
    complex(8), intent(in) :: a, b
    ztimes = a * b
  end function

  pure logical function both_true(a, b)
    logical, intent(in) :: a, b
    both_true = a .and. b
  end function

  pure function span(a, b) result(c)
    type(both), intent(in) :: a, b
    type(both) :: c
    c = both(min(a%least, b%least), max(a%largest, b%largest), a%count + b%count)
  end function
end module

program co_reduce_of_user_functions
  use expectations
  use functions
  implicit none
  integer :: i, n, me, v(3), m(4, 4), stat, k
  integer(8) :: i8
  integer(2) :: i2
  real(4) :: r4
  real(8) :: r8, x(2)
  complex(8) :: z, zv(2)
  logical :: l
  type(both) :: b, bv(2)

  me = this_image()
  n = num_images()
  i = me
  call co_reduce(i, product_of)
  call expect(i, product([(k, k=1, n)]), "product")
  i = me
  call co_reduce(i, product_by_value)
  call expect(i, product([(k, k=1, n)]), "product by value")
  v = [me, 2, 1]
  call co_reduce(v, product_of)
  call expect(v, [product([(k, k=1, n)]), 2**n, 1], "array")
  m = me
  call co_reduce(m(::3, 4:1:-3), sum_of)
  k = n * (n + 1) / 2
  call expect(reshape(m(:, 1:4:3), [8]), [k, me, me, k, k, me, me, k], "section")
  call expect(sum(m(:, 2:3)), 8 * me, "beside a section")
  do k = 1, n
    i = me
    stat = -1
    call co_reduce(i, sum_of, result_image=k, stat=stat)
    call expect(stat, 0, "stat")
    if (me == k) call expect(i, n * (n + 1) / 2, "sum at one image")
  end do
  i8 = 2_8**40 + me
  call co_reduce(i8, larger8)
  call expect(i8, 2_8**40 + n, "integer(8)")
  i2 = int(me, 2)
  call co_reduce(i2, larger2)
  call expect(int(i2), n, "integer(2)")
  r4 = 0.5 * me
  call co_reduce(r4, larger4)
  call expect(real(r4, 8), 0.5d0 * n, "real(4)")
  r8 = 2
  call co_reduce(r8, times)
  call expect(r8, 2d0**n, "real(8)")
  x = [2, me]
  call co_reduce(x, times_by_value)
  call expect(x, [2d0**n, real(product([(k, k=1, n)]), 8)], "array of real(8) by value")
  z = (0, 1)
  call co_reduce(z, ztimes)
  call expect(abs(z - (0, 1)**n) < 1d-12, .true., "complex(8)")
  zv = [(0, 1), (2, 0)]
  call co_reduce(zv, ztimes)
  call expect(abs(zv(2) - 2**n) < 1d-12, .true., "array of complex(8)")
  l = me /= n
  call co_reduce(l, both_true)
  call expect(l, .false., "logical")
  b = both(me, me, 1)
  call co_reduce(b, span)
  call expect(int([b%least, b%largest, b%count]), [1, n, n], "derived type")
  bv = [both(me, 0, 1), both(5, -me, 2)]
  call co_reduce(bv, span)
  call expect(int([bv%least, bv%largest]), [1, 5, 0, -1], "array of derived type")
  if (me == 1) print '(a)', "ok"
end program
