"""A number goes around a ring of images; then all numbers at once, one image further each time.

halocline caf run -n 4 python ring.py      (or: mpiexec -n 4 python ring.py)
"""

import numpy as np

import halocline as hc

ca = hc.coarray

me, images = ca.this_image(), ca.num_images()
after = me % images + 1

# One number: each image adds its own and tells the next one that it is there.
number, arrived = ca.allocate(1, dtype=int), ca.Event()
if me > 1:
    arrived.wait()
number[after][0] = number.here[0] + me
arrived[after].post()
if me == 1:
    arrived.wait()
    print(f"once around {images} images: {number.here[0]}")
    assert number.here[0] == images * (images + 1) // 2

# All at once: a row of numbers of each image goes around until it is at home again.
row = ca.allocate((2, 8))  # what is here, and what comes
row.here[0] = me + np.arange(8) / 10
for _ in range(images):
    row[after][1] = row.here[0]
    ca.sync_all()
    row.here[0] = row.here[1]
    ca.sync_all()
assert np.array_equal(row.here[0], me + np.arange(8) / 10)
total = ca.co_sum(row.here[0].sum())
if me == 1:
    print(f"sum of all rows: {total:.1f}")
