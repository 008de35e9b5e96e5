"""Coarrays: arrays of which every image has a part that all images read and write.

Images are processes: those of 'halocline caf run -n 4 python program.py', the ranks of 'mpiexec -n
4 python program.py' on one node or several, or this one alone. A process becomes an image by the
import of this module, which all of them do. Images are counted from 1, as in Fortran.
"""

from halocline.coarray.array import Coarray as Coarray
from halocline.coarray.array import Part as Part
from halocline.coarray.array import allocate as allocate
from halocline.coarray.collectives import co_broadcast as co_broadcast
from halocline.coarray.collectives import co_max as co_max
from halocline.coarray.collectives import co_min as co_min
from halocline.coarray.collectives import co_reduce as co_reduce
from halocline.coarray.collectives import co_sum as co_sum
from halocline.coarray.images import fail_image as fail_image
from halocline.coarray.images import failed_images as failed_images
from halocline.coarray.images import image_status as image_status
from halocline.coarray.images import num_images as num_images
from halocline.coarray.images import stopped_images as stopped_images
from halocline.coarray.images import sync_all as sync_all
from halocline.coarray.images import sync_images as sync_images
from halocline.coarray.images import sync_memory as sync_memory
from halocline.coarray.images import this_image as this_image
from halocline.coarray.joining import join as _join
from halocline.coarray.objects import Event as Event
from halocline.coarray.objects import Lock as Lock
from halocline.coarray.teams import Team as Team
from halocline.coarray.teams import form_team as form_team
from halocline.coarray.teams import team_number as team_number
from halocline.errors import CoarrayError as CoarrayError
from halocline.errors import FailedImageError as FailedImageError
from halocline.errors import StoppedImageError as StoppedImageError

_join()
