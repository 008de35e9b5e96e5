! Flow in a box with the lattice Boltzmann method on blocks of cells, one block an image.
!
! D3Q19, BGK, fused collide-push on two grids, halfway bounce-back, double precision.  The program
! repeats the comparison of Sembritzki, "Evaluation of the Coarray Fortran programming model on the
! example of a lattice Boltzmann code" (2012), chapters 5 and 6: one kernel, three ways to exchange
! the halo.  Which one is chosen at build time (STYLE below):
!   messages     MPI, packed buffers                      lattice_boltzmann_messages.f90
!   buffered     packed, put to a coarray buffer          lattice_boltzmann_buffered.f90
!   unbuffered   sections put into the neighbour's grid   lattice_boltzmann_unbuffered.f90
! A step is: kernel, exchange along x, y and z, walls.  All styles and all numbers of blocks give
! the same bits (with one set of compiler options).
!
! Build and run with coarrays, STYLE being buffered or unbuffered:
!   halocline caf build -O3 -march=native arguments.f90 lattice_boltzmann_model.f90 \
!     lattice_boltzmann_blocks.f90 lattice_boltzmann_walls.f90 lattice_boltzmann_images.f90 \
!     lattice_boltzmann_STYLE.f90 lattice_boltzmann.f90 -o lattice_boltzmann
!   halocline caf run -n 4 ./lattice_boltzmann cells_z=64 blocks=1x2x2
! Build and run with MPI; LIBRARIES are what "mpicc -show" names:
!   mpicc -O2 -c messages.c
!   gfortran -O3 -march=native -fcoarray=single arguments.f90 messages.f90 \
!     lattice_boltzmann_model.f90 lattice_boltzmann_blocks.f90 lattice_boltzmann_walls.f90 \
!     lattice_boltzmann_messages.f90 lattice_boltzmann.f90 messages.o -o lattice_boltzmann LIBRARIES
!   mpiexec -n 4 ./lattice_boltzmann cells_z=64 blocks=1x2x2
!
! Arguments (name=value, with defaults):
!   cells_x=48 cells_y=48 cells_z=48   cells of the box, multiples of the blocks
!   blocks=1x1xN    blocks in each direction, their product is the number of images
!   steps=100       time steps
!   omega=1.6       relaxation rate, 0 < omega < 2; viscosity (1/omega - 1/2)/3
!   walls=xyz       axes with walls at both ends: none x y z xy xz yz xyz; the others are periodic
!   lid=0.05        speed of the wall above the last layer in z, along x
!   obstacle=0      radius in cells of a solid ball in the middle of the box
!   start=rest      or abc: the Arnold-Beltrami-Childress flow.  In a periodic cube it keeps its
!                   form and decays as exp(-viscosity k**2 steps), k = 2 pi/cells_x
!   speed=0.05      of that flow
!
! Columns: style, images, blocks, cells, steps; seconds_per_step of all, of the exchange and of
! the walls (each the largest of all images); million_updates_per_second (all cells of the box);
! mass_relative_change (rounding only); largest_speed (lattice units); checksum (bits of density
! and velocity of all fluid cells).
program lattice_boltzmann
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use arguments
  use lattice_boltzmann_model
  use lattice_boltzmann_blocks
  use lattice_boltzmann_walls
  use lattice_boltzmann_exchange
  implicit none

  integer, parameter :: dp = real64
  integer :: box(3), blocks(3), steps
  real(dp) :: omega, lid, radius, speed
  real(dp) :: seconds(3)   ! of all, of the exchange, of the walls
  real(dp) :: mass_before, mass, largest_speed
  integer(int64) :: checksum
  character(32) :: walled, start
  type(block_type) :: b
  type(walls_type) :: w
  integer :: old

  call start_images()
  call read_arguments()
  b = make_block(box, blocks, .not. has_wall(walled), image_number())
  call make_walls(b, box, has_wall(walled), radius, lid, w)
  call allocate_grids(b)
  call set_start()
  old = 1
  call measure(checksum, mass_before, largest_speed)
  call run()
  call measure(checksum, mass, largest_speed)
  call report()
  call stop_images()

contains

  subroutine read_arguments()
    character(32) :: word

    box = 48
    steps = 100
    omega = 1.6_dp
    walled = "xyz"
    lid = 0.05_dp
    radius = 0.0_dp
    start = "rest"
    speed = 0.05_dp
    blocks = [1, 1, image_count()]
    call get_argument("cells_x", box(1), minimum=1)
    call get_argument("cells_y", box(2), minimum=1)
    call get_argument("cells_z", box(3), minimum=1)
    call get_argument("steps", steps, minimum=1)
    call get_argument("omega", omega)
    call get_argument("walls", walled, "none x y z xy xz yz xyz")
    call get_argument("lid", lid)
    call get_argument("obstacle", radius)
    call get_argument("start", start, "rest abc")
    call get_argument("speed", speed)
    word = blocks_word(blocks)
    call get_argument("blocks", word, all_blocks(image_count()))
    call end_arguments()
    blocks = blocks_of_word(word)
    if (any(modulo(box, blocks) /= 0)) &
      call bad_argument("cells must be multiples of blocks=" // trim(word))
    if (omega <= 0.0_dp .or. omega >= 2.0_dp) call bad_argument("omega must be between 0 and 2")
  end subroutine read_arguments

  ! All ways to cut the box for this number of images, as words with a blank between.
  function all_blocks(images) result(words)
    integer, intent(in) :: images
    character(:), allocatable :: words
    integer :: x, y

    words = ""
    do x = 1, images
      do y = 1, images/x
        if (modulo(images, x*y) == 0) &
          words = words // trim(blocks_word([x, y, images/(x*y)])) // " "
      end do
    end do
    words = trim(words)
  end function all_blocks

  function blocks_word(numbers) result(word)
    integer, intent(in) :: numbers(3)
    character(32) :: word

    write (word, "(i0, 'x', i0, 'x', i0)") numbers
  end function blocks_word

  function blocks_of_word(word) result(numbers)
    character(*), intent(in) :: word
    integer :: numbers(3), i
    character(len(word)) :: blanks

    do i = 1, len(word)
      blanks(i:i) = merge(" ", word(i:i), word(i:i) == "x")
    end do
    read (blanks, *) numbers
  end function blocks_of_word

  function has_wall(letters) result(has)
    character(*), intent(in) :: letters
    logical :: has(3)

    has = [index(letters, "x") > 0, index(letters, "y") > 0, index(letters, "z") > 0]
  end function has_wall

  ! Both grids get the equilibrium of the starting flow; solid cells are at rest.
  subroutine set_start()
    real(dp), allocatable :: u(:, :, :, :)
    integer :: i, j, k

    associate (n => b%cells)
      allocate (u(3, 0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1), source=0.0_dp)
      do k = 0, n(3) + 1
        do j = 0, n(2) + 1
          do i = 0, n(1) + 1
            if (start == "abc" .and. .not. w%solid(i, j, k)) &
              u(:, i, j, k) = abc_flow(modulo(b%first + [i, j, k] - 1, box))
          end do
        end do
      end do
      call fill_equilibrium(n, u, grids(:, :, :, :, 1))
      call fill_equilibrium(n, u, grids(:, :, :, :, 2))
    end associate
  end subroutine set_start

  ! The Arnold-Beltrami-Childress flow, one period in the box.  Its curl is k times itself.
  function abc_flow(place) result(u)
    integer, intent(in) :: place(3)
    real(dp) :: u(3), angle(3)

    angle = 2.0_dp*acos(-1.0_dp)*(place + 0.5_dp)/box
    u(1) = sin(angle(3)) + cos(angle(2))
    u(2) = sin(angle(1)) + cos(angle(3))
    u(3) = sin(angle(2)) + cos(angle(1))
    u = speed*u
  end function abc_flow

  subroutine run()
    integer :: step
    real(dp) :: t0, t1, t2, t3, begin

    seconds = 0.0_dp
    call wait_for_all()
    begin = wall_seconds()
    do step = 1, steps
      call collide_stream(b%cells, omega, grids(:, :, :, :, old), grids(:, :, :, :, 3 - old))
      t1 = wall_seconds()
      call exchange(b, 3 - old)
      t2 = wall_seconds()
      call reflect(w, grids(:, :, :, :, 3 - old))
      t3 = wall_seconds()
      seconds(2:3) = seconds(2:3) + [t2 - t1, t3 - t2]
      old = 3 - old
    end do
    call wait_for_all()
    t0 = wall_seconds()
    seconds(1) = t0 - begin
  end subroutine run

  ! The state of the whole box, from the blocks of all images.
  subroutine measure(bits, total, fastest)
    integer(int64), intent(out) :: bits
    real(dp), intent(out) :: total, fastest

    call field_checksum(b%cells, b%first, box, w%solid, grids(:, :, :, :, old), bits, total, &
      fastest)
    bits = sum_bits(bits)
    total = sum_real(total)
    fastest = max_real(fastest)
  end subroutine measure

  subroutine report()
    real(dp) :: per_step(3), updates
    integer :: i

    per_step = [(max_real(seconds(i)), i=1, 3)]/steps
    if (image_number() /= 1) return
    updates = product(real(box, dp))/per_step(1)*1.0e-6_dp
    print "(a)", "style,images,blocks,cells_x,cells_y,cells_z,steps,seconds_per_step," // &
      "exchange_seconds_per_step,walls_seconds_per_step,million_updates_per_second," // &
      "mass_relative_change,largest_speed,checksum"
    print "(a, ',', i0, ',', a, 4(',', i0), 3(',', es0.4), ',', f0.2, ',', es0.3, ',', " // &
      "es0.16, ',', z16.16)", style, image_count(), trim(blocks_word(blocks)), box, steps, &
      per_step, updates, (mass - mass_before)/mass_before, largest_speed, checksum
  end subroutine report

end program lattice_boltzmann
