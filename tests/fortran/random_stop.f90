! One image stops somewhere among 60 operations with STAT= of two teams or one, as a seed says. Its
! team is told of it from then on, the other one is not, and nobody waits for ever.
program random_stop
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, team_type
  implicit none
  type(team_type) :: team
  character(20) :: seed
  integer :: leaver, last, teams, operation, stat, k
  logical :: is_leaver, may_be_told, must_be_told
  real :: x(3000)
  integer(8) :: state

  call get_command_argument(1, seed)
  read (seed, *) state
  leaver = 1 + pick(num_images())
  last = pick(40)
  teams = 1 + pick(2)
  is_leaver = this_image() == leaver
  may_be_told = mod(this_image() - leaver, teams) == 0
  form team (1 + mod(this_image(), teams), team)
  change team (team)
    do k = 1, 60
      operation = pick(5)
      if (is_leaver .and. k > last) stop
      x = this_image()
      stat = -1
      select case (operation)
      case (0)
        call co_max(x, stat=stat)
      case (1)
        sync all (stat=stat)
      case (2)
        call co_broadcast(x, num_images(), stat=stat)
      case (3)
        call co_sum(x(::7), result_image=1, stat=stat)
      case (4)
        call co_sum(x(1:2), result_image=num_images(), stat=stat)
      end select
      ! The others need not wait for everybody.
      must_be_told = may_be_told .and. k > last .and. operation < 2
      if (stat == 0) then
        if (must_be_told) error stop "an image that has stopped was missed"
        if (operation == 0 .and. nint(x(1)) /= num_images()) error stop "a wrong maximum"
      else if (stat /= stat_stopped_image .or. .not. may_be_told .or. k <= last) then
        error stop "a wrong status"
      end if
    end do
    print '(a)', "ok"
    stop
  end team

contains

  integer function pick(choices)
    integer, intent(in) :: choices
    state = mod(state * 48271_8 + 11_8, 2147483647_8)
    pick = int(mod(state / 8, int(choices, 8)))
  end function
end program
