! CO_REDUCE combines characters by a function of their length.
module functions
  implicit none

contains

  pure function later(a, b) result(c)
    character(4), intent(in) :: a, b
    character(4) :: c
    c = a
    if (b > a) c = b
  end function
end module

program co_reduce_of_characters
  use expectations
  use functions
  implicit none
  character(4) :: c, v(2)

  c = repeat(achar(96 + this_image()), 4)
  call co_reduce(c, later)
  call expect(c, repeat(achar(96 + num_images()), 4), "scalar")
  v = [repeat(achar(96 + this_image()), 4), "zzzz"]
  call co_reduce(v, later)
  call expect(v(1) // v(2), repeat(achar(96 + num_images()), 4) // "zzzz", "array")
  if (this_image() == 1) print '(a)', "ok"
end program
