! CO_BROADCAST of a structure hands on its allocatable components.
program co_broadcast_of_allocatable_components
  use expectations
  implicit none
  type :: box
    integer :: n
    integer, allocatable :: a(:)
  end type
  type(box) :: b

  b%n = this_image()
  b%a = [1, 2, 3] * this_image()
  call co_broadcast(b, num_images())
  call expect(b%n, num_images(), "component")
  call expect(b%a, [1, 2, 3] * num_images(), "allocatable component")
  if (this_image() == 1) print '(a)', "ok"
end program
