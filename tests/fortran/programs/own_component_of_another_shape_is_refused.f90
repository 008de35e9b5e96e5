! The compiler does not say that an own component may be given another shape: it is refused, until
! the component is deallocated.
! exit: 1
! output: none
! stderr: An array of shape \(5\) was to be assigned to one of shape \(3\)\. .* deallocate 'own%a'
program own_component_of_another_shape_is_refused
  use expectations
  implicit none
  type :: box
    integer, allocatable :: a(:)
  end type
  type(box), save :: b[*]
  type(box) :: own

  b%a = [1, 2, 3, 4, 5]
  sync all
  own%a = b[next()]%a
  call expect(own%a, [1, 2, 3, 4, 5], "not allocated")
  own%a = [5, 4, 3, 2, 1]
  own%a = b[next()]%a
  call expect(own%a, [1, 2, 3, 4, 5], "of the same shape")
  deallocate (own%a)
  allocate (own%a(3))
  own%a = b[next()]%a
  print '(a)', "ok"
end program
