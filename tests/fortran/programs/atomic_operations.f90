! Atomic define, ref, add, and, or, xor do what they say, with STAT 0.
program atomic_operations
  use expectations
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer(atomic_int_kind), save :: a[*]
  logical(atomic_logical_kind), save :: l[*] = .false.
  type :: box
    integer(atomic_int_kind) :: before, n(3), after
  end type
  type(box), allocatable :: b[:]
  integer(atomic_int_kind) :: seen
  logical(atomic_logical_kind) :: truth
  integer :: stat

  stat = -1
  call atomic_define(a[next()], 12, stat)
  call expect(stat, 0, "define, stat")
  sync all
  call expect(a, 12, "define")
  stat = -1
  call atomic_ref(seen, a[next()], stat)
  call expect(stat, 0, "ref, stat")
  call expect(seen, 12, "ref")
  sync all
  stat = -1
  call atomic_add(a[next()], 3, stat)
  call expect(stat, 0, "add, stat")
  sync all
  call expect(a, 15, "add")
  sync all
  stat = -1
  call atomic_and(a[next()], 10, stat)
  call expect(stat, 0, "and, stat")
  sync all
  call expect(a, 10, "and")
  sync all
  stat = -1
  call atomic_or(a[next()], 5, stat)
  call expect(stat, 0, "or, stat")
  sync all
  call expect(a, 15, "or")
  sync all
  stat = -1
  call atomic_xor(a[next()], 6, stat)
  call expect(stat, 0, "xor, stat")
  sync all
  call expect(a, 9, "xor")
  call atomic_define(l[next()], .true.)
  sync all
  call atomic_ref(truth, l[next()])
  call expect(truth, .true., "logical")
  call expect(l, .true., "own logical")
  allocate (b[*])
  b = box(1, 2, 3)
  sync all
  call atomic_add(b[next()]%n(2), 40)
  call atomic_define(b[next()]%n(3), 7)
  sync all
  call expect([b%before, b%n, b%after], [1, 2, 42, 7, 3], "component")
  call atomic_ref(seen, b[next()]%n(2))
  call expect(seen, 42, "component, ref")
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
