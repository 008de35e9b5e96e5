! ALLOCATED of a component of another image tells its state there.
program allocated_of_other_images
  use expectations
  implicit none
  type :: inner
    integer, allocatable :: x(:)
  end type
  type :: box
    integer, allocatable :: a(:), s
    type(inner), allocatable :: in
    type(inner) :: plain
  end type
  type(box), save :: b[*]
  type(box), allocatable :: c[:]
  integer :: i

  allocate (c[*])
  do i = 1, num_images()
    call expect(allocated(b[i]%a), .false., "array at the start")
    call expect(allocated(b[i]%s), .false., "scalar at the start")
    call expect(allocated(c[i]%a), .false., "array of an allocatable coarray at the start")
  end do
  sync all
  if (mod(this_image(), 2) == 0) then
    allocate (b%a(3), b%s, b%in, b%plain%x(2), c%a(1))
    allocate (b%in%x(1))
  end if
  sync all
  do i = 1, num_images()
    call expect(allocated(b[i]%a), mod(i, 2) == 0, "array")
    call expect(allocated(b[i]%s), mod(i, 2) == 0, "scalar")
    call expect(allocated(b[i]%in), mod(i, 2) == 0, "structure")
    call expect(allocated(b[i]%plain%x), mod(i, 2) == 0, "component of a component")
    if (mod(i, 2) == 0) call expect(allocated(b[i]%in%x), .true., "component of an allocatable")
    call expect(allocated(c[i]%a), mod(i, 2) == 0, "array of an allocatable coarray")
  end do
  sync all
  if (mod(this_image(), 2) == 0) deallocate (b%a, b%s)
  sync all
  do i = 1, num_images()
    call expect(allocated(b[i]%a), .false., "array after deallocate")
    call expect(allocated(b[i]%s), .false., "scalar after deallocate")
  end do
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
