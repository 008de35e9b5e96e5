! Coarrays that are saved are there, with their values, before the main program begins.
module held
  implicit none
  integer :: m(4)[*] = [1, 2, 3, 4]
  real(8), save :: plain[*]
end module

program static_coarrays_start_with_their_values
  use expectations
  use held
  implicit none
  integer, save :: s[*] = 42
  character(5), save :: c(2)[*] = ["hello", "world"]
  logical, save :: l[*] = .true.
  integer :: i

  do i = 1, num_images()
    call expect(s[i], 42, "scalar of the main program")
    call expect(m(:)[i], [1, 2, 3, 4], "array of a module")
    call expect(c(2)[i], "world", "character")
    call expect(l[i], .true., "logical")
  end do
  plain = 1.5d0 * this_image()
  sync all
  do i = 1, num_images()
    call expect(plain[i], 1.5d0 * i, "without initial value")
  end do
  call twice(1)
  call twice(2)
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  ! A local coarray keeps its value between calls.
  subroutine twice(call_number)
    integer, intent(in) :: call_number
    integer, save :: kept[*] = 7
    call expect(kept[next()], 6 + call_number, "saved in a procedure")
    sync all
    kept = kept + 1
    sync all
  end subroutine
end program
