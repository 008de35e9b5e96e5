! Distributed transposes with coarrays, verified exactly after every transpose.
!
! kind=spectral: the x-y transpose of a spectral turbulence code. Complex single precision, four
!   words a point; u(z, word, x, y) lies as y-z planes (an image has some x, all y) and
!   v(z, word, y, x) as x-z planes (some y, all x). X to Y moves three words, Y to X all four.
!   Source: the distributed transpose of the coarray benchmarks (Rogallo) reported in "Coarrays in
!   GNU Fortran" (2014). In stage s an image exchanges a block with the image s further on.
! kind=matrix: b = transpose(a) of an n x n matrix in double precision, columns distributed.
! variant=send: transpose the block here, put it. variant=receive: get the block, transpose it here.
! transfer=element: the same, but element by element, as the benchmark of 2014 did.
! (An image's block for itself is copied without a coarray where whole blocks move.)
!
! Build: halocline caf build arguments.f90 transpose.f90 -o transpose
! Arguments (default first): kind=spectral|matrix  variant=send|receive  transfer=block|element
!   nx=32 ny=32 nz=32 (spectral: the images divide nx/2 and ny; published: 1024, 1024, 256)
!   n=1024 (matrix: the images divide n)  repetitions=2 (pairs of transposes)
!
! Columns: kind, direction, variant, transfer, images, transposes, bytes (one image sends to others
! in one transpose), seconds/transpose, MB/s (2**20 bytes; of one image; empty with one image).

module spectral_transpose
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  private
  public :: open_spectral, close_spectral, fill, check, x_to_y, y_to_x

  complex(real32), allocatable :: u(:, :, :, :)[:], v(:, :, :, :)[:]
  complex(real32), allocatable :: block(:, :, :, :)
  integer :: nz, mx, my, images, me

contains

  subroutine open_spectral(nx, ny, n_z)
    integer, intent(in) :: nx, ny, n_z
    images = num_images()
    me = this_image()
    nz = n_z
    mx = nx / 2 / images
    my = ny / images
    allocate (u(nz, 4, mx, ny)[*], v(nz, 4, my, nx / 2)[*])
  end subroutine open_spectral

  subroutine close_spectral()
    deallocate (u, v)
  end subroutine close_spectral

  ! What belongs at a point: its indices and the number of the word.
  pure complex(real32) function value(z, word, x, y)
    integer, intent(in) :: z, word, x, y
    select case (word)
    case (1); value = cmplx(x, y, real32)
    case (2); value = cmplx(y, z, real32)
    case (3); value = cmplx(z, x, real32)
    case default; value = cmplx(x + y, -z, real32)
    end select
  end function value

  ! Words first to last of u (or v) get their values, the others of both arrays are wiped.
  subroutine fill(name, first, last)
    character(len=1), intent(in) :: name
    integer, intent(in) :: first, last
    integer :: z, word, x, y
    if (name == 'u') v = -1
    if (name == 'v' .and. first == 1) u = -1
    if (name == 'u') then
      do concurrent (z = 1:nz, word = first:last, x = 1:mx, y = 1:size(u, 4))
        u(z, word, x, y) = value(z, word, (me - 1) * mx + x, y)
      end do
    else
      do concurrent (z = 1:nz, word = first:last, y = 1:my, x = 1:size(v, 4))
        v(z, word, y, x) = value(z, word, x, (me - 1) * my + y)
      end do
    end if
    sync all
  end subroutine fill

  ! Every word of u (4) or v (3) must be exact.
  subroutine check(name)
    character(len=1), intent(in) :: name
    integer :: z, word, x, y, wrong
    wrong = 0
    do z = 1, nz
      do word = 1, merge(4, 3, name == 'u')
        if (name == 'u') then
          do x = 1, mx
            wrong = wrong + count(u(z, word, x, :) /= &
              [(value(z, word, (me - 1) * mx + x, y), y = 1, images * my)])
          end do
        else
          do y = 1, my
            wrong = wrong + count(v(z, word, y, :) /= &
              [(value(z, word, x, (me - 1) * my + y), x = 1, images * mx)])
          end do
        end if
      end do
    end do
    if (wrong > 0) error stop 'transpose: a wrong value'
    sync all
  end subroutine check

  ! v = transpose of u, three words.
  subroutine x_to_y(send, by_element)
    logical, intent(in) :: send, by_element
    integer :: stage, other
    do stage = 0, images - 1
      other = 1 + modulo(me - 1 + merge(stage, -stage, send), images)
      if (by_element) then
        call elements(u, v, 3, mx, my, other, send)
      else
        call blocks(u, v, 3, mx, my, other, send)
      end if
    end do
    sync all
  end subroutine x_to_y

  ! u = transpose of v, four words.
  subroutine y_to_x(send, by_element)
    logical, intent(in) :: send, by_element
    integer :: stage, other
    do stage = 0, images - 1
      other = 1 + modulo(me - 1 + merge(stage, -stage, send), images)
      if (by_element) then
        call elements(v, u, 4, my, mx, other, send)
      else
        call blocks(v, u, 4, my, mx, other, send)
      end if
    end do
    sync all
  end subroutine y_to_x

  ! One stage by whole blocks. from(z, word, i, j): this image has mi of the i; to(z, word, j, i).
  subroutine blocks(from, to, words, mi, mj, other, send)
    integer, intent(in) :: words, mi, mj, other
    complex(real32), intent(inout) :: from(:, :, :, :)[*], to(:, :, :, :)[*]
    logical, intent(in) :: send
    integer :: i, j, mine, theirs
    mine = me - 1
    theirs = other - 1
    if (send) then
      allocate (block(nz, words, mj, mi))
      do i = 1, mi
        do j = 1, mj
          block(:, :, j, i) = from(:, 1:words, i, theirs * mj + j)
        end do
      end do
      if (other == me) then
        to(:, 1:words, :, mine * mi + 1:(mine + 1) * mi) = block
      else
        to(:, 1:words, :, mine * mi + 1:(mine + 1) * mi)[other] = block
      end if
    else
      allocate (block(nz, words, mi, mj))
      if (other == me) then
        block(:, :, :, :) = from(:, 1:words, :, mine * mj + 1:(mine + 1) * mj)
      else
        block(:, :, :, :) = from(:, 1:words, :, mine * mj + 1:(mine + 1) * mj)[other]
      end if
      do i = 1, mi
        do j = 1, mj
          to(:, 1:words, j, theirs * mi + i) = block(:, :, i, j)
        end do
      end do
    end if
    deallocate (block)
  end subroutine blocks

  ! One stage word by word.
  subroutine elements(from, to, words, mi, mj, other, send)
    integer, intent(in) :: words, mi, mj, other
    complex(real32), intent(inout) :: from(:, :, :, :)[*], to(:, :, :, :)[*]
    logical, intent(in) :: send
    integer :: z, word, i, j, mine, theirs
    mine = me - 1
    theirs = other - 1
    do i = 1, mi
      do j = 1, mj
        do word = 1, words
          do z = 1, nz
            if (send) then
              to(z, word, j, mine * mi + i)[other] = from(z, word, i, theirs * mj + j)
            else
              to(z, word, j, theirs * mi + i) = from(z, word, i, mine * mj + j)[other]
            end if
          end do
        end do
      end do
    end do
  end subroutine elements

end module spectral_transpose

module matrix_transpose
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: open_matrix, fill_matrix, check_matrix, transpose_matrix

  real(real64), allocatable :: a(:, :)[:], b(:, :)[:]
  integer :: n, m, images, me

contains

  ! Image i has m whole columns of both matrices.
  subroutine open_matrix(order)
    integer, intent(in) :: order
    images = num_images()
    me = this_image()
    n = order
    m = n / images
    allocate (a(n, m)[*], b(n, m)[*])
  end subroutine open_matrix

  ! The forward transpose reads a and writes b, the backward one the other way.
  subroutine fill_matrix()
    integer :: i, j
    do j = 1, m
      a(:, j) = [(real(i, real64) + n * real((me - 1) * m + j, real64), i = 1, n)]
    end do
    b = 0
    sync all
  end subroutine fill_matrix

  subroutine check_matrix()
    integer :: i, j
    do j = 1, m
      if (any(b(:, j) /= [((me - 1) * m + j + n * real(i, real64), i = 1, n)])) &
        error stop 'transpose: a wrong element'
    end do
    sync all
  end subroutine check_matrix

  subroutine transpose_matrix(send, by_element)
    logical, intent(in) :: send, by_element
    real(real64) :: block(m, m)
    integer :: stage, other, mine, theirs, i, j
    mine = (me - 1) * m
    do stage = 0, images - 1
      other = 1 + modulo(me - 1 + merge(stage, -stage, send), images)
      theirs = (other - 1) * m
      if (by_element) then
        do j = 1, m
          do i = 1, m
            if (send) then
              b(mine + j, i)[other] = a(theirs + i, j)
            else
              b(theirs + j, i) = a(mine + i, j)[other]
            end if
          end do
        end do
      else if (send) then
        block = transpose(a(theirs + 1:theirs + m, :))
        b(mine + 1:mine + m, :)[other] = block
      else
        block(:, :) = a(mine + 1:mine + m, :)[other]
        b(theirs + 1:theirs + m, :) = transpose(block)
      end if
    end do
    sync all
  end subroutine transpose_matrix

end module matrix_transpose

program transpose_benchmark
  use, intrinsic :: iso_fortran_env, only: real64
  use arguments, only: get_argument, end_arguments, bad_argument, wall_seconds
  use spectral_transpose, only: open_spectral, close_spectral, fill, check, x_to_y, y_to_x
  use matrix_transpose, only: open_matrix, fill_matrix, check_matrix, transpose_matrix
  implicit none

  character(len=8) :: kind_name = 'spectral', variant = 'send', transfer_name = 'block'
  integer :: nx = 32, ny = 32, nz = 32, n = 1024, repetitions = 2, images
  logical :: send, by_element

  call get_argument('kind', kind_name, 'spectral matrix')
  call get_argument('variant', variant, 'send receive')
  call get_argument('transfer', transfer_name, 'block element')
  call get_argument('nx', nx, 2)
  call get_argument('ny', ny, 1)
  call get_argument('nz', nz, 1)
  call get_argument('n', n, 1)
  call get_argument('repetitions', repetitions, 1)
  call end_arguments()
  images = num_images()
  send = variant == 'send'
  by_element = transfer_name == 'element'

  if (kind_name == 'matrix') then
    if (mod(n, images) /= 0) call bad_argument('the number of images must divide n')
    call run_matrix()
  else
    if (mod(nx, 2) /= 0) call bad_argument('nx must be even')
    if (mod(nx / 2, images) /= 0 .or. mod(ny, images) /= 0) &
      call bad_argument('the number of images must divide nx/2 and ny')
    call run_spectral()
  end if

contains

  subroutine run_spectral()
    integer :: i, block_bytes
    real(real64) :: mark, forth, back
    forth = 0
    back = 0
    block_bytes = 8 * nz * (nx / 2 / images) * (ny / images)
    call open_spectral(nx, ny, nz)
    do i = 1, repetitions
      call fill('u', 1, 4)
      mark = wall_seconds()
      call x_to_y(send, by_element)
      forth = forth + wall_seconds() - mark
      call check('v')
      call fill('v', 1, 4)
      mark = wall_seconds()
      call y_to_x(send, by_element)
      back = back + wall_seconds() - mark
      call check('u')
    end do
    call close_spectral()
    call header()
    call row('x-y', repetitions, 3.0_real64 * block_bytes * (images - 1), forth / repetitions)
    call row('y-x', repetitions, 4.0_real64 * block_bytes * (images - 1), back / repetitions)
  end subroutine run_spectral

  subroutine run_matrix()
    integer :: i
    real(real64) :: mark, seconds
    seconds = 0
    call open_matrix(n)
    do i = 1, 2 * repetitions
      call fill_matrix()
      mark = wall_seconds()
      call transpose_matrix(send, by_element)
      seconds = seconds + wall_seconds() - mark
      call check_matrix()
    end do
    call header()
    call row('', 2 * repetitions, 8 * real(n / images, real64)**2 * (images - 1), &
      seconds / (2 * repetitions))
  end subroutine run_matrix

  subroutine header()
    if (this_image() == 1) print '(a)', 'kind,direction,variant,transfer,images,transposes,' // &
      'bytes,seconds/transpose,MB/s'
  end subroutine header

  subroutine row(direction, transposes, bytes, seconds)
    character(len=*), intent(in) :: direction
    integer, intent(in) :: transposes
    real(real64), intent(in) :: bytes, seconds
    character(len=24) :: rate
    if (this_image() /= 1) return
    rate = ''
    if (bytes > 0) write (rate, '(f0.2)') bytes / seconds / 2.0_real64**20
    print '(4(a, ","), 2(i0, ","), f0.0, ",", es11.5, ",", a)', trim(kind_name), direction, &
      trim(variant), trim(transfer_name), images, transposes, bytes, seconds, trim(rate)
  end subroutine row

end program transpose_benchmark
