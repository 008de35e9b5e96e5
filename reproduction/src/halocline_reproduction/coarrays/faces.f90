! The halo of a cube along one axis: both faces to the neighbours, between two SYNC IMAGES.
!
! The arrangement is that of the reference measurements of this project: a cube of n**3 words with one
! ghost layer around it, images in a ring along one axis. Three ways for each axis:
!   put     sections of the neighbour's array are assigned
!   get     sections of the neighbour's array are read
!   packed  faces are copied to a buffer, put as a whole, and copied from there
! What arrived is verified; a wrong value is an error stop.
!
! Build: halocline caf build arguments.f90 faces.f90 -o faces
! Arguments (default first): n=128 (edge of the cube)  seconds=0.2 (least length of a test)
!
! Columns: way, axis, images, n, repetitions, seconds (of both faces).
module faces_of_a_cube
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: open_cube, exchange, check

  real(real64), allocatable :: u(:, :, :)[:], buffer(:, :, :)[:]
  real(real64), allocatable :: packed(:, :)
  integer :: n, left, right

contains

  subroutine open_cube(edge)
    integer, intent(in) :: edge
    n = edge
    left = merge(num_images(), this_image() - 1, this_image() == 1)
    right = merge(1, this_image() + 1, this_image() == num_images())
    allocate (u(0:n + 1, 0:n + 1, 0:n + 1)[*], buffer(n, n, 2)[*], packed(n, n))
  end subroutine open_cube

  subroutine exchange(way, axis, neighbours)
    character(len=*), intent(in) :: way
    integer, intent(in) :: axis, neighbours(:)
    sync images (neighbours)
    select case (way)
    case ('put')
      call put_faces(axis)
    case ('get')
      call get_faces(axis)
    case ('packed')
      call put_packed(axis)
    end select
    sync images (neighbours)
    if (way == 'packed') call unpack_faces(axis)
  end subroutine exchange

  subroutine put_faces(axis)
    integer, intent(in) :: axis
    select case (axis)
    case (1)
      u(0, 1:n, 1:n)[right] = u(n, 1:n, 1:n)
      u(n + 1, 1:n, 1:n)[left] = u(1, 1:n, 1:n)
    case (2)
      u(1:n, 0, 1:n)[right] = u(1:n, n, 1:n)
      u(1:n, n + 1, 1:n)[left] = u(1:n, 1, 1:n)
    case (3)
      u(1:n, 1:n, 0)[right] = u(1:n, 1:n, n)
      u(1:n, 1:n, n + 1)[left] = u(1:n, 1:n, 1)
    end select
  end subroutine put_faces

  subroutine get_faces(axis)
    integer, intent(in) :: axis
    select case (axis)
    case (1)
      u(0, 1:n, 1:n) = u(n, 1:n, 1:n)[left]
      u(n + 1, 1:n, 1:n) = u(1, 1:n, 1:n)[right]
    case (2)
      u(1:n, 0, 1:n) = u(1:n, n, 1:n)[left]
      u(1:n, n + 1, 1:n) = u(1:n, 1, 1:n)[right]
    case (3)
      u(1:n, 1:n, 0) = u(1:n, 1:n, n)[left]
      u(1:n, 1:n, n + 1) = u(1:n, 1:n, 1)[right]
    end select
  end subroutine get_faces

  ! Part 1 of a buffer is what came from the left, part 2 what came from the right.
  subroutine put_packed(axis)
    integer, intent(in) :: axis
    packed(:, :) = face(axis, n)
    buffer(:, :, 1)[right] = packed
    packed(:, :) = face(axis, 1)
    buffer(:, :, 2)[left] = packed
  end subroutine put_packed

  function face(axis, layer) result(values)
    integer, intent(in) :: axis, layer
    real(real64) :: values(n, n)
    select case (axis)
    case (1)
      values = u(layer, 1:n, 1:n)
    case (2)
      values = u(1:n, layer, 1:n)
    case default
      values = u(1:n, 1:n, layer)
    end select
  end function face

  subroutine unpack_faces(axis)
    integer, intent(in) :: axis
    select case (axis)
    case (1)
      u(0, 1:n, 1:n) = buffer(:, :, 1)
      u(n + 1, 1:n, 1:n) = buffer(:, :, 2)
    case (2)
      u(1:n, 0, 1:n) = buffer(:, :, 1)
      u(1:n, n + 1, 1:n) = buffer(:, :, 2)
    case (3)
      u(1:n, 1:n, 0) = buffer(:, :, 1)
      u(1:n, 1:n, n + 1) = buffer(:, :, 2)
    end select
  end subroutine unpack_faces

  ! Values tell their image and place. One exchange must bring those of the neighbours, no others.
  subroutine check(way, axis, neighbours)
    character(len=*), intent(in) :: way
    integer, intent(in) :: axis, neighbours(:)
    integer :: i, j, k
    u = -1
    do concurrent (i = 1:n, j = 1:n, k = 1:n)
      u(i, j, k) = value(this_image(), i, j, k)
    end do
    call exchange(way, axis, neighbours)
    sync all
    do k = 1, n
      do j = 1, n
        call check_point(axis, 0, j, k, value_at(left, n, j, k, axis))
        call check_point(axis, n + 1, j, k, value_at(right, 1, j, k, axis))
      end do
    end do
    if (count(u == -1) /= (n + 2)**3 - n**3 - 2 * n**2) error stop 'faces: a wrong place'
    sync all
  end subroutine check

  pure real(real64) function value(image, i, j, k)
    integer, intent(in) :: image, i, j, k
    value = i + 1024 * (j + 1024 * (k + 1024 * real(image, real64)))
  end function value

  ! The value of an image in a layer along the axis; a and b count along the other two.
  pure real(real64) function value_at(image, layer, a, b, axis)
    integer, intent(in) :: image, layer, a, b, axis
    select case (axis)
    case (1)
      value_at = value(image, layer, a, b)
    case (2)
      value_at = value(image, a, layer, b)
    case default
      value_at = value(image, a, b, layer)
    end select
  end function value_at

  subroutine check_point(axis, layer, a, b, expected)
    integer, intent(in) :: axis, layer, a, b
    real(real64), intent(in) :: expected
    real(real64) :: found
    select case (axis)
    case (1)
      found = u(layer, a, b)
    case (2)
      found = u(a, layer, b)
    case default
      found = u(a, b, layer)
    end select
    if (found /= expected) error stop 'faces: a halo is wrong'
  end subroutine check_point

end module faces_of_a_cube

program faces
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments, unique_images, wall_seconds
  use faces_of_a_cube, only: open_cube, exchange, check
  implicit none

  character(len=6), parameter :: ways(3) = [character(len=6) :: 'put', 'get', 'packed']
  integer :: n = 128, way, axis, me
  integer, allocatable :: neighbours(:)
  real(real64) :: least = 0.2_real64
  real(real64) :: seconds[*] = 0

  call get_argument('n', n, 1)
  call get_argument('seconds', least)
  call end_arguments()
  me = this_image()
  neighbours = unique_images([1 + modulo(me, num_images()), 1 + modulo(me - 2, num_images())])
  call open_cube(n)
  if (me == 1) print '(a)', 'way,axis,images,n,repetitions,seconds'
  do way = 1, size(ways)
    do axis = 1, 3
      call check(trim(ways(way)), axis, neighbours)
      call measure(trim(ways(way)), axis)
    end do
  end do

contains

  ! Twice as many repetitions until image 1 finds them long enough.
  subroutine measure(name, axis)
    character(len=*), intent(in) :: name
    integer, intent(in) :: axis
    integer :: repetitions, i
    real(real64) :: begin
    repetitions = 1
    do
      sync all
      begin = wall_seconds()
      do i = 1, repetitions
        call exchange(name, axis, neighbours)
      end do
      seconds = wall_seconds() - begin
      sync all
      if (seconds[1] >= least .and. repetitions > 1) exit
      repetitions = 2 * repetitions
    end do
    if (me == 1) print '(a, ",", a, 3(",", i0), ",", es12.5)', name, 'xyz'(axis:axis), &
      num_images(), n, repetitions, seconds / repetitions
  end subroutine measure

end program faces
