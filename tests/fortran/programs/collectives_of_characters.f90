! CO_MIN and CO_MAX compare characters as Fortran does; CO_BROADCAST keeps their kinds.
program collectives_of_characters
  use expectations
  implicit none
  integer, parameter :: ucs4 = selected_char_kind("ISO_10646")
  character(4) :: c, v(2)
  character(:), allocatable :: d
  character(3, ucs4) :: u, w(2)
  integer :: n, me

  me = this_image()
  n = num_images()
  c = repeat(achar(96 + me), 2)
  call co_max(c)
  call expect(c, repeat(achar(96 + n), 2) // "  ", "largest")
  c = repeat(achar(96 + me), 2)
  call co_min(c)
  call expect(c, "aa  ", "least")
  v = ["same", repeat(achar(96 + me), 4)]
  call co_max(v)
  call expect(v(1) // v(2), "same" // repeat(achar(96 + n), 4), "largest of an array")
  ! Characters above 127 come after all others.
  c = merge(achar(200), "z", me == n) // "x"
  call co_max(c)
  call expect(c, achar(200) // "x  ", "largest above 127")
  c = repeat(achar(96 + me), 3)
  call co_broadcast(c, n)
  call expect(c, repeat(achar(96 + n), 3) // " ", "broadcast")
  v = [character(4) :: achar(96 + me), "b"]
  call co_broadcast(v, 1)
  call expect(v(1) // v(2), "a   b   ", "broadcast of an array")
  d = repeat(achar(96 + me), 5)
  call co_broadcast(d, 1)
  call expect(d, "aaaaa", "broadcast of deferred length")
  u = merge(ucs4_"one", ucs4_"two", me == 1)
  w = u
  call co_broadcast(u, 1)
  call expect(u == ucs4_"one", .true., "broadcast of kind 4")
  call co_broadcast(w, 1)
  call expect(all(w == ucs4_"one"), .true., "broadcast of an array of kind 4")
  if (me == 1) print '(a)', "ok"
end program
