#!/bin/sh
# Install Halocline from a checkout into a new virtual environment:
#
#     install.sh CHECKOUT FOLDER
#
# It builds with MPICH's wheel, or with the MPI whose compilers MPICXX and MPICC name.
set -eu
checkout=$1
folder=$2

python3 -m venv "$folder"
if [ -n "${MPICXX:-}" ]; then
  # From source, for it must use the same library.
  "$folder/bin/pip" install --quiet --no-binary mpi4py mpi4py
  "$folder/bin/pip" install --quiet "$checkout[all]"
else
  "$folder/bin/pip" install --quiet "$checkout[all,mpi]"
fi
