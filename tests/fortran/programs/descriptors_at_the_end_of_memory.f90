! The bytes behind a descriptor need not exist: it has as many dimensions as its array.
module last_of_all
  implicit none
  integer(1) :: before(3521) = 0
  type :: owner
    integer, allocatable :: b(:, :)[:]
  end type
  type(owner) :: o
end module

program descriptors_at_the_end_of_memory
  use, intrinsic :: iso_c_binding
  use expectations
  use last_of_all
  implicit none
  type :: inner
    integer, allocatable :: a(:)
  end type
  type :: outer
    type(inner), pointer :: p => null()
  end type
  interface
    function mmap(address, length, protection, flags, file, offset) bind(c)
      import
      type(c_ptr), value :: address
      integer(c_size_t), value :: length, offset
      integer(c_int), value :: protection, flags, file
      type(c_ptr) :: mmap
    end function
    integer(c_int) function mprotect(address, length, protection) bind(c)
      import
      integer(c_intptr_t), value :: address
      integer(c_size_t), value :: length
      integer(c_int), value :: protection
    end function
  end interface
  integer(c_size_t), parameter :: page = 4096
  integer(c_int), parameter :: nothing = 0, read_and_write = 3, private_without_file = 34
  type(outer), save :: x[*]
  type(inner), pointer :: last
  type(inner) :: any_inner
  integer(c_intptr_t) :: pages
  integer, allocatable :: got(:)
  integer :: status

  allocate (o%b(2, 2)[*])
  call expect(shape(o%b(:, :)[1]), [2, 2], "shape of a coarray component")

  pages = transfer(mmap(c_null_ptr, 2 * page, read_and_write, private_without_file, -1, 0_c_size_t), &
    pages)
  status = mprotect(pages + page, page, nothing)
  call expect(status, 0, "a page that cannot be read")
  call c_f_pointer(transfer(pages + page - storage_size(any_inner) / 8, c_null_ptr), last)
  allocate (last%a(3))
  last%a = this_image() * [1, 2, 3]
  x%p => last
  sync all
  got = x[next()]%p%a
  call expect(got, next() * [1, 2, 3], "array whose descriptor ends at the end of a page")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
