! Characters of other lengths and kinds are padded with blanks or cut, scalars and arrays.
program characters_are_padded_and_cut
  use expectations
  implicit none
  integer, parameter :: ucs4 = selected_char_kind("ISO_10646")
  character(4), save :: c(3)[*], s[*]
  character(7), save :: long(3)[*]
  character(4, ucs4), save :: u(3)[*]
  character(3, ucs4), save :: us[*]
  character(2) :: b2(3) = ["ab", "cd", "ef"]
  character(6) :: b6(3) = ["abcdef", "ghijkl", "mnopqr"]
  character(6) :: g
  character(6) :: h(3)
  character(:), allocatable :: d
  character(2, ucs4) :: pairs(3)
  integer :: i

  c = "----"
  s = "----"
  sync all
  c(:)[next()] = b2
  s[next()] = "z"
  sync all
  call expect(c(1) // c(2) // c(3), "ab  cd  ef  ", "array of shorter strings put")
  call expect(s, "z   ", "shorter scalar put")
  sync all
  c(3:1:-1)[next()] = b6
  s[next()] = b6(2)
  sync all
  call expect(c(1) // c(2) // c(3), "mnopghijabcd", "array of longer strings put")
  call expect(s, "ghij", "longer scalar put")
  h = "------"
  h = c(:)[next()]
  call expect(h(1) // h(2) // h(3), "mnop  ghij  abcd  ", "array of shorter strings got")
  g = s[next()]
  call expect(g, "ghij  ", "shorter scalar got")
  b2 = c(3:1:-1)[next()]
  call expect(b2(1) // b2(2) // b2(3), "abghmn", "array of longer strings got")
  d = c(2)[next()] // "+" // s[next()]
  call expect(d, "ghij+ghij", "concatenated")
  sync all
  long(:)[next()] = c(:)[next()]
  long(2)[next()] = s[previous()]
  sync all
  call expect(long(1) // long(2) // long(3), "mnop   ghij   abcd   ", "between other images")
  sync all
  c(2:3)[next()] = "q"
  sync all
  call expect(c(1) // c(2) // c(3), "mnopq   q   ", "scalar into a section")
  sync all
  c([3, 1])[next()] = ["12345", "67890"]
  sync all
  call expect(c(1) // c(2) // c(3), "6789q   1234", "vector subscript")
  pairs = [ucs4_"xy", ucs4_"zt", ucs4_"uv"]
  u(:)[next()] = pairs
  us[next()] = ucs4_"abcdef"
  sync all
  do i = 1, 3
    call expect(u(i) == pairs(i), .true., "kind 4, shorter strings put")
  end do
  call expect(us == ucs4_"abc", .true., "kind 4, longer scalar put")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
