/* Communication jitter with MPI: what psnap.f90 measures of coarrays.
 *
 * Build: mpicc -O3 psnap_mpi.c -o psnap_mpi
 * The body of the loop sends one integer to the peer and receives one. The number of bodies is
 * that of a loop of g microseconds, found in the same way.
 * Arguments and columns: n, w, g, bins, limit as psnap.f90 has them.
 */
#include "arguments.h"

#include <limits.h>
#include <math.h>

static int me, ranks, peer, sent = 0, arrived = 0;

static double timed_loop(int exchanges) {
    double start = MPI_Wtime();
    for (int i = 0; i < exchanges; ++i) {
        sent = sent == INT_MAX ? 1 : sent + 1;
        MPI_Sendrecv(&sent, 1, MPI_INT, peer, 0, &arrived, 1, MPI_INT, peer, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    return MPI_Wtime() - start;
}

/* How many exchanges take the granularity; all ranks use the largest number. */
static int calibrate(double granularity, double limit) {
    double begin = MPI_Wtime();
    int exchanges = 1;
    for (;;) {
        double shortest = 1e9;
        for (int i = 0; i < 10; ++i) shortest = fmin(shortest, timed_loop(exchanges));
        double mine = fmin(1e9, exchanges * granularity / fmax(shortest, 1e-9));
        int wanted = (int)fmax(1.0, floor(longest(mine) + 0.5));
        int is_near = abs(wanted - exchanges) <= exchanges / 10 || MPI_Wtime() - begin > limit;
        MPI_Bcast(&is_near, 1, MPI_INT, 0, MPI_COMM_WORLD);
        exchanges = wanted;
        if (is_near) return exchanges;
    }
}

static void report(const int* counts, int bins, int exchanges) {
    printf("image,exchanges,microseconds,count\n");
    for (int rank = 0; rank < ranks; ++rank)
        for (int bin = 0; bin < bins; ++bin) {
            int count = counts[(size_t)rank * (size_t)bins + (size_t)bin];
            if (count > 0) printf("%d,%d,%d,%d\n", rank + 1, exchanges, bin, count);
        }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int repetitions = argument(argc, argv, "n", 1000), warm_up = argument(argc, argv, "w", 1000);
    int bins = argument(argc, argv, "bins", 20000);
    double granularity = real_argument(argc, argv, "g", 1000);
    double limit = real_argument(argc, argv, "limit", 10);
    end_arguments(argc, argv);
    int half = ranks / 2;
    peer = me < half ? me + half : me < 2 * half ? me - half : me;
    int exchanges = calibrate(granularity * 1e-6, limit);
    int *histogram = calloc((size_t)bins, sizeof(int)), *all = NULL;
    for (int i = -warm_up; i < repetitions; ++i) {
        double microseconds = timed_loop(exchanges) * 1e6;
        if (i >= 0) ++histogram[(int)fmin(microseconds, bins - 1)];
    }
    if (arrived != sent) refuse("psnap_mpi: a wrong number arrived");
    if (me == 0) all = malloc(sizeof(int) * (size_t)bins * (size_t)ranks);
    MPI_Gather(histogram, bins, MPI_INT, all, bins, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) report(all, bins, exchanges);
    free(all);
    free(histogram);
    MPI_Finalize();
    return 0;
}
