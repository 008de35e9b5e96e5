! Dense matrix times vector with coarrays, y = A x, rows of A distributed.
!
! Source: the matrix-vector test of the coarray benchmarks reported in "Coarrays in GNU Fortran"
! (2014). Image 1 has the data. It sends every image a group of rows as an array section (strided,
! since columns are contiguous), then the vector, and gathers the product. 2 n**2 operations stand
! against n**2 words sent: one product is not worth it, many products with the matrix kept can be.
! mode=once distributes the matrix for every product, mode=repeated only for the first.
! All numbers are small whole numbers, so that the result equals the serial one exactly.
!
! Build: halocline caf build arguments.f90 matrix_vector.f90 -o matrix_vector
! Arguments (default first): mode=once|repeated  n=1000 (any number of at least the images)
!   products=1 (with once) or 10 (with repeated)
!
! Columns: mode, images, n, products, distribute_seconds (A), broadcast_seconds (x),
! multiply_seconds, gather_seconds (y), seconds (all of these), serial_seconds (image 1 alone).

program matrix_vector
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments, bad_argument, wall_seconds
  implicit none

  character(len=8) :: mode = 'once'
  integer :: n = 1000, products = 0
  real(real64), allocatable :: rows(:, :)[:], x(:)[:], y(:)[:]
  real(real64), allocatable :: matrix(:, :), start(:), result(:)
  real(real64) :: seconds(4) = 0, mark

  call get_argument('mode', mode, 'once repeated')
  call get_argument('n', n, 1)
  call get_argument('products', products, 1)
  call end_arguments()
  if (n < num_images()) call bad_argument('n must be at least the number of images')
  if (products == 0) products = merge(1, 10, mode == 'once')

  allocate (rows((n + num_images() - 1) / num_images(), n)[*], x(n)[*], y(n)[*])
  call make_data()
  sync all
  call multiply_distributed()
  if (this_image() == 1) call verify_and_report()
  sync all

contains

  ! Image 1 holds the matrix and the first vector.
  subroutine make_data()
    integer :: i, j
    allocate (start(n), result(n))
    start = [(modulo(5 * i, 11) - 5.0_real64, i = 1, n)]
    result = start
    if (this_image() /= 1) return
    allocate (matrix(n, n))
    do j = 1, n
      matrix(:, j) = [(modulo(7 * i + 13 * j, 17) - 8.0_real64, i = 1, n)]
    end do
  end subroutine make_data

  ! Rows before those of an image; groups differ by at most one row.
  pure integer function rows_before(image)
    integer, intent(in) :: image
    rows_before = (image - 1) * (n / num_images()) + min(image - 1, mod(n, num_images()))
  end function rows_before

  ! The next vector, made from a product: small whole numbers again.
  elemental real(real64) function next(product)
    real(real64), intent(in) :: product
    next = modulo(product, 11.0_real64) - 5
  end function next

  subroutine multiply_distributed()
    integer :: i, m
    m = rows_before(this_image() + 1) - rows_before(this_image())
    do i = 1, products
      mark = wall_seconds()
      if (i == 1 .or. mode == 'once') then
        if (this_image() == 1) call distribute()
        sync all
      end if
      call lap(1)
      if (i > 1) result = next(result)
      if (this_image() == 1) call broadcast()
      sync all
      call lap(2)
      call multiply(m)
      sync all
      call lap(3)
      if (this_image() == 1) call gather()
      sync all
      call lap(4)
    end do
  end subroutine multiply_distributed

  ! Adds the time since the last mark.
  subroutine lap(part)
    integer, intent(in) :: part
    real(real64) :: now
    now = wall_seconds()
    seconds(part) = seconds(part) + now - mark
    mark = now
  end subroutine lap

  subroutine distribute()
    integer :: image, first, m
    do image = 1, num_images()
      first = rows_before(image)
      m = rows_before(image + 1) - first
      rows(1:m, :)[image] = matrix(first + 1:first + m, :)
    end do
  end subroutine distribute

  subroutine broadcast()
    integer :: image
    do image = 1, num_images()
      x(:)[image] = result
    end do
  end subroutine broadcast

  subroutine multiply(m)
    integer, intent(in) :: m
    y(1:m) = matmul(rows(1:m, :), x)
  end subroutine multiply

  subroutine gather()
    integer :: image, first, m
    do image = 1, num_images()
      first = rows_before(image)
      m = rows_before(image + 1) - first
      result(first + 1:first + m) = y(1:m)[image]
    end do
  end subroutine gather

  subroutine verify_and_report()
    real(real64) :: expected(n), serial
    integer :: i
    mark = wall_seconds()
    expected = matmul(matrix, start)
    do i = 2, products
      expected = matmul(matrix, next(expected))
    end do
    serial = wall_seconds() - mark
    if (any(expected /= result)) error stop 'matrix_vector: a wrong product'
    print '(a)', 'mode,images,n,products,distribute_seconds,broadcast_seconds,' // &
      'multiply_seconds,gather_seconds,seconds,serial_seconds'
    print '(a, 3(",", i0), 6(",", es11.5))', trim(mode), num_images(), n, products, seconds, &
      sum(seconds), serial
  end subroutine verify_and_report

end program matrix_vector
