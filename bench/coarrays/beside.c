/* What MPI takes for the operations of 'operations.f90', and what plain loads, stores and flags in
 * memory that two processes share take: the best of several series, in microseconds, as CSV. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 128, width = n + 2, series = 20, many = 131072 };

struct flag {
    _Alignas(64) atomic_uint value;
};
struct shared {
    struct flag flag;
    double s[2000];
    double u[width * width * width];
};

static int me;
static struct shared *mine, *theirs;
static unsigned int rounds;
static double *large, own[4096], packed[2][n * n], got[2][n * n];

static void pair(void) {
    atomic_exchange(&mine->flag.value, ++rounds);
    while ((int)(atomic_load_explicit(&theirs->flag.value, memory_order_acquire) - rounds) < 0)
        __builtin_ia32_pause();
}
static double* at(struct shared* memory, int x, int y, int z) {
    return &memory->u[x + width * (y + width * z)];
}
static void plain_strided(void) {
    volatile double* to = theirs->s;
    for (int i = 0; i < 1000; ++i) to[2 * i] = own[i];
}
static void plain_x(void) {
    for (int z = 1; z <= n; ++z)
        for (int y = 1; y <= n; ++y) *at(theirs, 0, y, z) = *at(mine, n, y, z);
    for (int z = 1; z <= n; ++z)
        for (int y = 1; y <= n; ++y) *at(theirs, n + 1, y, z) = *at(mine, 1, y, z);
    pair();
}
static void plain_y(void) {
    for (int z = 1; z <= n; ++z) memcpy(at(theirs, 1, 0, z), at(mine, 1, n, z), n * 8);
    for (int z = 1; z <= n; ++z) memcpy(at(theirs, 1, n + 1, z), at(mine, 1, 1, z), n * 8);
    pair();
}
static void plain_z(void) {
    for (int y = 1; y <= n; ++y) memcpy(at(theirs, 1, y, 0), at(mine, 1, y, n), n * 8);
    for (int y = 1; y <= n; ++y) memcpy(at(theirs, 1, y, n + 1), at(mine, 1, y, 1), n * 8);
    pair();
}
/* A halo by MPI: packed, sent, unpacked. */
static void halo(int axis) {
    const int step[3] = {1, width, width * width};
    const int a = step[(axis + 1) % 3], b = step[(axis + 2) % 3], along = step[axis];
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                packed[side][j * n + i] =
                    mine->u[(side ? 1 : n) * along + (i + 1) * a + (j + 1) * b];
    MPI_Sendrecv(packed, 2 * n * n, MPI_DOUBLE, 1 - me, 0, got, 2 * n * n, MPI_DOUBLE, 1 - me, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                mine->u[(side ? n + 1 : 0) * along + (i + 1) * a + (j + 1) * b] =
                    got[side][j * n + i];
}
static void mpi_x(void) {
    halo(0);
}
static void mpi_y(void) {
    halo(1);
}
static void mpi_z(void) {
    halo(2);
}
static void mpi_barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}
static void mpi_pair(void) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, 1 - me, 1, NULL, 0, MPI_BYTE, 1 - me, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
static void sum(int count) {
    MPI_Allreduce(MPI_IN_PLACE, large, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    large[0] = 1;
}
static void mpi_sum(void) {
    sum(1);
}
static void mpi_sum_large(void) {
    sum(many);
}
static void mpi_broadcast(void) {
    MPI_Bcast(large, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void mpi_broadcast_large(void) {
    MPI_Bcast(large, many, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void measure(const char* who, const char* name, void (*operation)(void), int repetitions) {
    double best = 1e9;
    for (int k = 0; k < series; ++k) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int i = 0; i < repetitions; ++i) operation();
        const double each = (MPI_Wtime() - start) * 1e6 / repetitions;
        if (each < best) best = each;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) printf("\"%s\",\"%s\",%.4f\n", who, name, best);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win window;
    MPI_Win_allocate_shared(sizeof(struct shared), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                            &window);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(window, 1 - me, &size, &unit, &theirs);
    memset(mine, 0, sizeof *mine);
    for (int i = 0; i < width * width * width; ++i) mine->u[i] = me + 1;
    large = calloc(many, sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    measure("plain", "put, stride 2, 1000 values", plain_strided, 2000);
    measure("plain", "halo x", plain_x, 30);
    measure("plain", "halo y", plain_y, 100);
    measure("plain", "halo z", plain_z, 100);
    measure("plain", "sync images, a pair", pair, 5000);
    if (*at(mine, 0, 1, 1) != 2 - me || *at(mine, n, n, n + 1) != 2 - me)
        MPI_Abort(MPI_COMM_WORLD, 1);
    measure("MPI", "halo x", mpi_x, 30);
    measure("MPI", "halo y", mpi_y, 100);
    measure("MPI", "halo z", mpi_z, 100);
    measure("MPI", "sync all", mpi_barrier, 5000);
    measure("MPI", "sync images, a pair", mpi_pair, 5000);
    measure("MPI", "co_sum 8 B", mpi_sum, 5000);
    measure("MPI", "co_sum 1 MiB", mpi_sum_large, 20);
    measure("MPI", "co_broadcast 8 B", mpi_broadcast, 5000);
    measure("MPI", "co_broadcast 1 MiB", mpi_broadcast_large, 50);
    MPI_Win_free(&window);
    return MPI_Finalize();
}
