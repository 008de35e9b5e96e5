! RANDOM_INIT makes sequences distinct or the same, repeated or not, as its arguments say.
program random_init_of_images
  use expectations
  implicit none
  real(8) :: x(3), y(3)
  real(8), save :: a(3)[*]
  integer :: i

  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(x)
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(y)
  call expect(x, y, "repeatable, distinct")
  a = x
  sync all
  do i = 1, num_images()
    if (i /= this_image()) call expect(any(abs(a(:)[i] - x) > 0), .true., "distinct")
  end do
  sync all
  call random_init(repeatable=.true., image_distinct=.false.)
  call random_number(x)
  a = x
  sync all
  call expect(a(:)[next()], x, "the same on each image")
  sync all
  call random_init(repeatable=.false., image_distinct=.false.)
  call random_number(x)
  a = x
  sync all
  call expect(a(:)[next()], x, "not repeatable, the same on each image")
  sync all
  call random_init(repeatable=.false., image_distinct=.true.)
  call random_number(x)
  call random_init(repeatable=.false., image_distinct=.true.)
  call random_number(y)
  call expect(any(abs(x - y) > 0), .true., "not repeatable")
  a = x
  sync all
  if (num_images() > 1) then
    call expect(any(abs(a(:)[next()] - x) > 0), .true., "not repeatable, distinct")
  end if
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
