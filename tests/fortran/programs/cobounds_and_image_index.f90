! Cobounds, cosubscripts and image indices agree for any shape of the images.
program cobounds_and_image_index
  use expectations
  implicit none
  integer, save :: grid[2, *], shifted[0:1, -1:1, 5:*], line[10:*]
  integer, allocatable :: block(:)[:, :]
  integer :: me, i, j, sub2(2), sub3(3), index

  me = this_image()
  grid = me
  shifted = 10 * me
  line = 100 * me
  allocate (block(2)[0:2, 4:*])
  block = [me, -me]
  sync all

  sub2 = this_image(grid)
  call expect(sub2, [mod(me - 1, 2) + 1, (me - 1) / 2 + 1], "this_image(grid)")
  call expect(this_image(grid, 2), sub2(2), "this_image(grid, 2)")
  sub3 = this_image(shifted)
  call expect(sub3, [mod(me - 1, 2), mod((me - 1) / 2, 3) - 1, (me - 1) / 6 + 5], &
              "this_image(shifted)")
  call expect(lcobound(shifted), [0, -1, 5], "lcobound")
  call expect(ucobound(shifted), [1, 1, 5 + (num_images() - 1) / 6], "ucobound")
  call expect(ucobound(grid, 2), (num_images() + 1) / 2, "ucobound(grid, 2)")
  call expect(lcobound(block), [0, 4], "lcobound of allocatable")
  call expect(ucobound(block), [2, 4 + (num_images() - 1) / 3], "ucobound of allocatable")
  call expect(image_index(grid, sub2), me, "image_index(grid, own)")
  call expect(image_index(shifted, sub3), me, "image_index(shifted, own)")
  call expect(image_index(line, [10 + num_images()]), 0, "image_index past the last")
  call expect(image_index(line, [sub2(1) * 0 + 9]), 0, "image_index before the first")
  call expect(image_index(grid, [3 + 0 * me, 1]), 0, "image_index outside the cobounds")

  do j = 1, ucobound(grid, 2)
    do i = 1, 2
      index = image_index(grid, [i, j])
      if (index == 0) cycle
      call expect(grid[i, j], index, "grid[i, j]")
    end do
  end do
  do i = 1, num_images()
    call expect(shifted[mod(i - 1, 2), mod((i - 1) / 2, 3) - 1, (i - 1) / 6 + 5], 10 * i, &
                "shifted[...]")
    call expect(line[9 + i], 100 * i, "line[...]")
    call expect(block(:)[mod(i - 1, 3), (i - 1) / 3 + 4], [i, -i], "block(:)[...]")
  end do
  sync all
  if (this_image() == 1) print '(a)', "ok"
end program
