! A section whose bounds are left out is a section: a component keeps its shape and its other
! elements, and 'a(::-2)' has no elements.
program open_ended_strides_keep_the_shape
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:), m(:, :)
  end type
  type(box), save :: b[*]
  integer :: i
  integer, allocatable :: values(:)

  b%a = [1, 2, 3, 4, 5]
  b%m = reshape([(i, i=1, 12)], [4, 3])
  sync all
  b[next()]%a(::2) = [10, 30, 50]
  sync all
  call expect(b%a, [10, 2, 30, 4, 50], "both bounds left out")
  sync all
  b[next()]%a(2::2) = [20, 40]
  sync all
  call expect(b%a, [10, 20, 30, 40, 50], "last bound left out")
  sync all
  b[next()]%a(:4:3) = [11, 41]
  sync all
  call expect(b%a, [11, 20, 30, 41, 50], "first bound left out")
  sync all
  b[next()]%a(::-2) = 0
  b[next()]%a(4::-2) = 0
  sync all
  call expect(b%a, [11, 20, 30, 41, 50], "no elements")
  sync all
  b[next()]%m(::2, :) = -reshape([1, 3, 5, 7, 9, 11], [2, 3])
  sync all
  call expect(reshape(b%m, [12]), [-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12], "every second row")
  sync all
  b[next()]%m(::3, ::2) = reshape([1, 4, 9, 12], [2, 2])
  sync all
  call expect(reshape(b%m, [12]), [1, 2, -3, 4, -5, 6, -7, 8, 9, 10, -11, 12], "both axes")
  sync all
  values = b[next()]%a(::2)
  call expect(values, [11, 30, 50], "got")
  values = b[next()]%a(::-2)
  call expect(size(values), 0, "got without elements")
  sync all
  ! To itself, where the left side has what the right side has not read yet.
  b[next()]%a(::2) = b[next()]%a(3:)
  sync all
  call expect(b%a, [30, 20, 41, 41, 50], "between two images")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
