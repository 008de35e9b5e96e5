! A critical section is run by one image at a time; two of them are apart.
program critical_sections_exclude
  use expectations
  implicit none
  integer, save :: n[*] = 0, m[*] = 0
  integer :: i

  do i = 1, 200
    critical
      n[1] = n[1] + 1
    end critical
    call in_a_procedure()
  end do
  sync all
  call expect(n[1], 200 * num_images(), "counter")
  call expect(m[num_images()], 200 * num_images(), "counter of a procedure")
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine in_a_procedure()
    named: critical
      m[num_images()] = m[num_images()] + 1
    end critical named
  end subroutine
end program
