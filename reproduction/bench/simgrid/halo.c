/* Weak scaling of a halo exchange in three stages, for SimGrid's SMPI.
 *
 * Computing is not done but waited for in simulated time; messages are sent with the sizes given.
 *
 *   halo STEPS COMPUTE_S BYTES_X BYTES_Y BYTES_Z NX NY NZ
 */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { axes = 3 };

/* The speed of the simulated processors; the platform must say the same. */
static const double flops_per_s = 1e9;

static void exchange(MPI_Comm grid, int axis, char* buffer, int bytes) {
    int low, high;
    MPI_Request requests[4];
    MPI_Cart_shift(grid, axis, 1, &low, &high);
    MPI_Irecv(buffer, bytes, MPI_CHAR, low, 2 * axis, grid, &requests[0]);
    MPI_Irecv(buffer, bytes, MPI_CHAR, high, 2 * axis + 1, grid, &requests[1]);
    MPI_Isend(buffer, bytes, MPI_CHAR, high, 2 * axis, grid, &requests[2]);
    MPI_Isend(buffer, bytes, MPI_CHAR, low, 2 * axis + 1, grid, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 9) {
        fprintf(stderr, "halo STEPS COMPUTE_S BYTES_X BYTES_Y BYTES_Z NX NY NZ\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int steps = atoi(argv[1]);
    const double compute_s = atof(argv[2]);
    int bytes[axes], extent[axes], largest = 1;
    for (int axis = 0; axis < axes; ++axis) {
        bytes[axis] = atoi(argv[3 + axis]);
        /* MPI numbers the last axis fastest, Halocline the first. */
        extent[axis] = atoi(argv[8 - axis]);
        largest = bytes[axis] > largest ? bytes[axis] : largest;
    }
    const int periodic[axes] = {1, 1, 1};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, axes, extent, periodic, 0, &grid);
    /* One buffer for all simulated ranks: the values are of no interest. */
    char* buffer = SMPI_SHARED_MALLOC(largest);

    MPI_Barrier(grid);
    const double start = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        for (int axis = 0; axis < axes; ++axis)
            exchange(grid, axes - 1 - axis, buffer, bytes[axis]);
        smpi_execute_flops(compute_s * flops_per_s);
    }
    double mine = (MPI_Wtime() - start) / steps, slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
    int rank;
    MPI_Comm_rank(grid, &rank);
    if (rank == 0) printf("step_s %.9e\n", slowest);

    SMPI_SHARED_FREE(buffer);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
