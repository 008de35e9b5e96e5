! A pipeline of images, each waiting for the one before, and told when its work was taken.
program event_pipeline
  use expectations
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type), save :: full[*], empty[*]
  integer, save :: slot[*]
  integer :: i, me, n, value

  me = this_image()
  n = num_images()
  do i = 1, 200
    if (me == 1) then
      value = i
    else
      event wait (full)
      value = slot
      event post (empty[me - 1])
    end if
    if (me < n) then
      if (i > 1) event wait (empty)
      slot[me + 1] = value + 1
      event post (full[me + 1])
    else
      call expect(value, i + n - 1, "value at the end")
    end if
  end do
  if (me < n) event wait (empty)
  sync all
  if (me == 1) print '(a)', "ok"
end program
