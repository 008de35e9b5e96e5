/* Himeno's benchmark with MPI: what himeno.f90 does with coarrays, in single precision.
 *
 * Build: mpicc -O3 himeno_mpi.c -o himeno_mpi -lm
 * The same blocks, halos and kernel (34 flops a point); a halo is a message of a derived type.
 * Arguments: size, split, sweeps; known (the expected gosa, within 1e-2 of it; 0: not known).
 * Columns are those of himeno.f90.
 */
#include "arguments.h"

#include <math.h>
#include <stddef.h>

static int me, grid[3], place[3], points[3], n[3], first[3], whole[3];
static MPI_Comm box;
static float *p, *wrk1, *wrk2, *bnd, *a[4], *b[3], *c[3];

static int before(int d, int at) {
    int rest = points[d] % grid[d];
    return at * (points[d] / grid[d]) + (at < rest ? at : rest);
}

/* Place in p, which has halos, and in the arrays without. */
static inline size_t at(int i, int j, int k) {
    return (size_t)i + (size_t)(n[0] + 2) * ((size_t)j + (size_t)(n[1] + 2) * (size_t)k);
}

static inline size_t in(int i, int j, int k) {
    return (size_t)(i - 1) + (size_t)n[0] * ((size_t)(j - 1) + (size_t)n[1] * (size_t)(k - 1));
}

static float* filled(float with) {
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    float* f = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; ++i) f[i] = with;
    return f;
}

static void start(void) {
    for (int k = 0; k < n[2] + 2; ++k) {
        float height = (float)(first[2] + k) * (float)(first[2] + k);
        height /= (float)(whole[2] - 1) * (float)(whole[2] - 1);
        for (int j = 0; j < n[1] + 2; ++j)
            for (int i = 0; i < n[0] + 2; ++i) p[at(i, j, k)] = height;
    }
}

static void decompose(int split) {
    int periods[3] = {0, 0, 0}, ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int d = 0; d < 3; ++d) grid[d] = d < 3 - split ? 1 : 0;
    MPI_Dims_create(ranks, 3, grid);
    if (split > 1 && grid[3 - split] > grid[2]) {
        int swapped = grid[2];
        grid[2] = grid[3 - split];
        grid[3 - split] = swapped;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 3, grid, periods, 0, &box);
    MPI_Cart_coords(box, me, 3, place);
    for (int d = 0; d < 3; ++d) {
        points[d] = whole[d] - 2;
        first[d] = before(d, place[d]);
        n[d] = before(d, place[d] + 1) - first[d];
    }
    p = malloc(sizeof(float) * at(0, 0, n[2] + 2));
    for (int d = 0; d < 3; ++d) {
        a[d] = filled(1);
        b[d] = filled(0);
        c[d] = filled(1);
    }
    a[3] = filled(1 / 6.0F);
    bnd = filled(1);
    wrk1 = filled(0);
    wrk2 = filled(0);
}

/* One line along i: what it adds to gosa. The pragma says that nothing overlaps. A sum in the first
 * loop would keep it from becoming vectors. */
static double relax_line(const float* q, float* to, size_t o) {
    const float *a0 = a[0] + o, *a1 = a[1] + o, *a2 = a[2] + o, *a3 = a[3] + o;
    const float *b0 = b[0] + o, *b1 = b[1] + o, *b2 = b[2] + o;
    const float *c0 = c[0] + o, *c1 = c[1] + o, *c2 = c[2] + o;
    const float *wall = bnd + o, *more = wrk1 + o;
    const int count = n[0];
    const ptrdiff_t J = n[0] + 2, K = J * (n[1] + 2);
    float residual[count];
    double line = 0;
#pragma GCC ivdep
    for (int i = 0; i < count; ++i) {
        float s0 = a0[i] * q[i + 1] + a1[i] * q[i + J] + a2[i] * q[i + K] +
                   b0[i] * (q[i + 1 + J] - q[i + 1 - J] - q[i - 1 + J] + q[i - 1 - J]) +
                   b1[i] * (q[i + J + K] - q[i - J + K] - q[i + J - K] + q[i - J - K]) +
                   b2[i] * (q[i + 1 + K] - q[i - 1 + K] - q[i + 1 - K] + q[i - 1 - K]) +
                   c0[i] * q[i - 1] + c1[i] * q[i - J] + c2[i] * q[i - K] + more[i];
        float ss = (s0 * a3[i] - q[i]) * wall[i];
        residual[i] = ss;
        to[i] = q[i] + 0.8F * ss;
    }
    for (int i = 0; i < count; ++i) line += (double)residual[i] * (double)residual[i];
    return line;
}

static double relax(void) {
    double gosa = 0;
    for (int k = 1; k <= n[2]; ++k)
        for (int j = 1; j <= n[1]; ++j)
            gosa += relax_line(&p[at(1, j, k)], &wrk2[in(1, j, k)], in(1, j, k));
    for (int k = 1; k <= n[2]; ++k)
        for (int j = 1; j <= n[1]; ++j)
            memcpy(&p[at(1, j, k)], &wrk2[in(1, j, k)], sizeof(float) * (size_t)n[0]);
    return gosa;
}

static MPI_Datatype layer(int axis, int where) {
    int all[3] = {n[0] + 2, n[1] + 2, n[2] + 2}, part[3] = {all[0], all[1], all[2]};
    int from[3] = {0, 0, 0};
    MPI_Datatype type;
    part[axis] = 1;
    from[axis] = where;
    MPI_Type_create_subarray(3, all, part, from, MPI_ORDER_FORTRAN, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* One direction after the other, so that the edges arrive too. */
static void exchange(MPI_Datatype layers[3][4]) {
    for (int d = 0; d < 3; ++d) {
        int low, high;
        MPI_Request requests[4];
        if (grid[d] == 1) continue;
        MPI_Cart_shift(box, d, 1, &low, &high);
        MPI_Irecv(p, 1, layers[d][0], low, 0, box, &requests[0]);
        MPI_Irecv(p, 1, layers[d][3], high, 1, box, &requests[1]);
        MPI_Isend(p, 1, layers[d][2], high, 0, box, &requests[2]);
        MPI_Isend(p, 1, layers[d][1], low, 1, box, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char** argv) {
    static const char* sizes[] = {"XS", "S", "M", "L", "XL"};
    int edge = 0, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* size = word_argument(argc, argv, "size", "XS");
    int split = argument(argc, argv, "split", 3), sweeps = argument(argc, argv, "sweeps", 10);
    double known = real_argument(argc, argv, "known", 0);
    end_arguments(argc, argv);
    for (int i = 0; i < 5; ++i)
        if (strcmp(size, sizes[i]) == 0) edge = 32 << i;
    if (edge == 0 || split < 1 || split > 3 || sweeps < 1) refuse("himeno_mpi: a wrong argument");
    whole[0] = 2 * edge;
    whole[1] = whole[2] = edge;
    decompose(split);
    MPI_Datatype layers[3][4];
    for (int d = 0; d < 3; ++d) {
        const int wheres[4] = {0, 1, n[d], n[d] + 1};
        for (int i = 0; i < 4; ++i) layers[d][i] = layer(d, wheres[i]);
    }
    start();
    double gosa = 0, communication = 0;
    MPI_Barrier(box);
    double begin = MPI_Wtime();
    for (int i = 0; i < sweeps; ++i) {
        double mine = relax(), mark = MPI_Wtime();
        exchange(layers);
        MPI_Allreduce(&mine, &gosa, 1, MPI_DOUBLE, MPI_SUM, box);
        communication += MPI_Wtime() - mark;
    }
    double seconds = longest(MPI_Wtime() - begin);
    communication = longest(communication);
    if (known > 0 && !(fabs(gosa / known - 1) <= 1e-2))
        refuse("himeno_mpi: gosa differs from the known value");
    double flops = 34.0 * points[0] * points[1] * points[2] * sweeps;
    if (me == 0)
        printf(
            "size,precision,images,images_i,images_j,images_k,communication,sweeps,gosa,"
            "gosa_difference,seconds,MFLOPS,communication_seconds/sweep\n"
            "%s,single,%d,%d,%d,%d,send,%d,%.12e,,%.5e,%.2f,%.5e\n",
            size, ranks, grid[0], grid[1], grid[2], sweeps, gosa, seconds, flops / seconds / 1e6,
            communication / sweeps);
    MPI_Finalize();
    return 0;
}
