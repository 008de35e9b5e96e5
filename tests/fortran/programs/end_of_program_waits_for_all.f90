! An image at its end still serves the others.
program end_of_program_waits_for_all
  use expectations
  implicit none
  integer, save :: a[*]
  integer(8) :: from, to, per_second

  a = 3 * this_image()
  sync all
  if (this_image() == 1) then
    call system_clock(from, per_second)
    to = from
    do while (to - from < per_second / 10)
      call system_clock(to)
    end do
    call expect(a[num_images()], 3 * num_images(), "value of an image at its end")
    print '(a)', "ok"
  end if
end program
