! STAT in an image selector is 0 where the image is there.
program image_selectors_with_stat
  use expectations
  implicit none
  integer, save :: a(3)[*], s[*]
  integer :: stat, b(3)

  a = this_image()
  s = this_image()
  sync all
  stat = -1
  b = a(:)[next(), stat=stat]
  call expect(b, [1, 1, 1] * next(), "array got")
  call expect(stat, 0, "stat of an array got")
  stat = -1
  b(1) = s[next(), stat=stat]
  call expect(b(1), next(), "scalar got")
  call expect(stat, 0, "stat of a scalar got")
  sync all
  a(1:3:2)[next(), stat=stat] = 5
  sync all
  call expect(a, [5, this_image(), 5], "section put")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
