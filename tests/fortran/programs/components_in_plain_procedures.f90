! Components have any memory of their image: a procedure that knows no coarrays may allocate and
! deallocate them, and a pointer may have any target.
module m
contains
subroutine fill(a, n)
  integer, allocatable, intent(inout) :: a(:)
  integer, intent(in) :: n
  integer :: i
  if (allocated(a)) deallocate(a)
  allocate(a(n))
  a = [(i*100+this_image(), i=1,n)]
end subroutine
end module
program components_in_plain_procedures
use m
implicit none
type t
  integer, allocatable :: a(:)
  integer, pointer :: p(:)
end type
type(t) :: x[*]
integer, target :: loc(4)
integer :: other, b(5), c(2)
other = mod(this_image(), num_images())+1
allocate(x%a(3)); x%a = 1
call fill(x%a, 5)
loc = this_image()*7 + [1,2,3,4]
x%p => loc
sync all
b = x[other]%a
if (any(b /= [100,200,300,400,500]+other)) error stop "component"
c = x[other]%p(2:4:2)
if (any(c /= other*7+[2,4])) error stop "pointer"
sync all
x[other]%p(3) = 99
x[other]%a(2:4) = [7,8,9]
sync all
if (loc(3) /= 99) error stop "put pointer"
if (any(x%a(2:4) /= [7,8,9])) error stop "put comp"
sync all
x[other]%a = [1,2]
sync all
if (size(x%a) /= 2 .or. any(x%a /= [1,2])) error stop "realloc"
call fill(x%a, 2)
deallocate(x%a)
allocate(x%a(4)); x%a = 5
sync all
if (this_image()==1) print '(a)', "ok"
end program components_in_plain_procedures
