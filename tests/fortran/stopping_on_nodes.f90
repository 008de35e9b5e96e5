! What the other images do after the last one has stopped in a team: each way by itself, as the
! first argument says. Everything with STAT= gives STAT_STOPPED_IMAGE; the rest ends the program.
program stopping_on_nodes
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, team_type, lock_type, event_type
  implicit none
  type(team_type) :: team, inner
  type(lock_type) :: lock[*]
  type(event_type) :: event[*]
  character(20) :: way
  real :: x(40000)
  integer :: stat(7)

  call get_command_argument(1, way)
  form team (1, team)
  change team (team)
    form team (1, inner)
    call co_sum(x)
    if (this_image() == num_images()) then
      if (way == "lock") lock (lock[1])
      if (way == "lock") sync images ([1])
      stop
    end if
    select case (way)
    case ("stat")
      stat = -1
      call co_sum(x, stat=stat(1))
      call co_broadcast(x, 1, stat=stat(2))
      call co_max(x(:3), stat=stat(3))
      sync all (stat=stat(4))
      sync images ([num_images()], stat=stat(5))
      sync all (stat=stat(6))
      call co_reduce(x, larger, stat=stat(7))
      if (any(stat /= stat_stopped_image)) error stop "a wrong status"
      if (this_image() == 1) print '(a)', "ok"
      stop
    case ("form team")
      form team (1, inner)
    case ("change team")
      change team (inner)
      end team
    case ("sync team")
      sync team (inner)
    case ("co_sum")
      call co_sum(x)
    case ("lock")
      if (this_image() /= 1) stop
      sync images ([num_images()])
      lock (lock[1], stat=stat(1))
      if (stat(1) /= stat_stopped_image) error stop "a wrong status of the lock"
      lock (lock[1])
    case ("event")
      if (this_image() /= 1) stop
      event wait (event, stat=stat(1))
      if (stat(1) /= stat_stopped_image) error stop "a wrong status of the event"
      event wait (event)
    end select
  end team

contains

  pure real function larger(one, other)
    real, intent(in) :: one, other
    larger = max(one, other)
  end function
end program
