/* Distributed transposes with MPI: what transpose.f90 does with coarrays, verified exactly.
 *
 * Build: mpicc -O3 transpose_mpi.c -o transpose_mpi
 * Whole blocks are packed, sent by MPI_Alltoall and put in place. Arguments: kind, nx, ny, nz, n,
 * repetitions; columns are those of transpose.f90.
 */
#include "arguments.h"

#include <complex.h>

typedef float complex word_type;

static int me, ranks, nz, mx, my;

static word_type value(int z, int word, int x, int y) {
    const float known[4][2] = {{(float)x, (float)y},
                               {(float)y, (float)z},
                               {(float)z, (float)x},
                               {(float)(x + y), (float)-z}};
    return known[word][0] + known[word][1] * I;
}

/* f(z, word, i, j) as it lies, i of mi, four words. */
static size_t at(int z, int word, int i, int mi, int j) {
    return (size_t)z + (size_t)nz * ((size_t)word + 4 * ((size_t)i + (size_t)mi * (size_t)j));
}

/* Every value of a side: is_u u(z, word, x, y) with some x, else v(z, word, y, x) with some y. */
static void fill(word_type* f, int is_u) {
    int some = is_u ? mx : my, all = ranks * (is_u ? my : mx);
    for (int j = 0; j < all; ++j)
        for (int i = 0; i < some; ++i)
            for (int word = 0; word < 4; ++word)
                for (int z = 0; z < nz; ++z)
                    f[at(z, word, i, some, j)] =
                        is_u ? value(z, word, me * mx + i, j) : value(z, word, j, me * my + i);
}

static void check(const word_type* f, int is_u) {
    int some = is_u ? mx : my, all = ranks * (is_u ? my : mx);
    for (int j = 0; j < all; ++j)
        for (int i = 0; i < some; ++i)
            for (int word = 0; word < (is_u ? 4 : 3); ++word)
                for (int z = 0; z < nz; ++z) {
                    word_type expected =
                        is_u ? value(z, word, me * mx + i, j) : value(z, word, j, me * my + i);
                    if (f[at(z, word, i, some, j)] != expected)
                        refuse("transpose_mpi: a wrong value");
                }
}

/* to(z, word, j, i) = from(z, word, i, j) of some words; mi of the i are here, mj of the j. */
static void move(const word_type* from, word_type* to, int words, int mi, int mj,
                 word_type* packed[2]) {
    size_t line = (size_t)nz * (size_t)words, block = line * (size_t)mi * (size_t)mj;
    for (int j = 0; j < ranks * mj; ++j)
        for (int i = 0; i < mi; ++i) {
            size_t place = (size_t)(j / mj) * block + line * (size_t)(i * mj + j % mj);
            memcpy(packed[0] + place, from + at(0, 0, i, mi, j), line * sizeof(word_type));
        }
    MPI_Alltoall(packed[0], (int)block, MPI_C_FLOAT_COMPLEX, packed[1], (int)block,
                 MPI_C_FLOAT_COMPLEX, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * mi; ++i)
        for (int j = 0; j < mj; ++j) {
            size_t place = line * (size_t)(i * mj + j);
            memcpy(to + at(0, 0, j, mj, i), packed[1] + place, line * sizeof(word_type));
        }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void row(const char* kind, const char* direction, int transposes, double bytes,
                double seconds) {
    if (me != 0) return;
    printf("%s,%s,send,block,%d,%d,%.0f,%.5e,", kind, direction, ranks, transposes, bytes, seconds);
    if (bytes > 0) printf("%.2f", bytes / seconds / 1048576);
    printf("\n");
}

static void spectral(int nx, int ny, int repetitions) {
    mx = nx / 2 / ranks;
    my = ny / ranks;
    size_t bytes = sizeof(word_type) * 4 * (size_t)nz * (size_t)mx * (size_t)ny;
    word_type *u = malloc(bytes), *v = malloc(bytes), *packed[2] = {malloc(bytes), malloc(bytes)};
    double forth = 0, back = 0, block = 8.0 * nz * mx * my * (ranks - 1);
    for (int i = 0; i < repetitions; ++i) {
        fill(u, 1);
        memset(v, 0xff, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        double mark = MPI_Wtime();
        move(u, v, 3, mx, my, packed);
        forth += MPI_Wtime() - mark;
        check(v, 0);
        fill(v, 0);
        memset(u, 0xff, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        mark = MPI_Wtime();
        move(v, u, 4, my, mx, packed);
        back += MPI_Wtime() - mark;
        check(u, 1);
    }
    row("spectral", "x-y", repetitions, 3 * block, forth / repetitions);
    row("spectral", "y-x", repetitions, 4 * block, back / repetitions);
    free(u);
    free(v);
    free(packed[0]);
    free(packed[1]);
}

static void matrix(int n, int repetitions) {
    int m = n / ranks;
    size_t bytes = sizeof(double) * (size_t)n * (size_t)m;
    double *a = malloc(bytes), *b = malloc(bytes), *sent = malloc(bytes), *got = malloc(bytes);
    double seconds = 0;
    for (int t = 0; t < 2 * repetitions; ++t) {
        for (int j = 0; j < m; ++j)
            for (int i = 0; i < n; ++i) a[i + (size_t)n * j] = i + (double)n * (me * m + j);
        memset(b, 0, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        double mark = MPI_Wtime();
        for (int rank = 0; rank < ranks; ++rank)
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < m; ++j)
                    sent[((size_t)rank * m + i) * m + j] = a[rank * m + i + (size_t)n * j];
        MPI_Alltoall(sent, m * m, MPI_DOUBLE, got, m * m, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int rank = 0; rank < ranks; ++rank)
            for (int i = 0; i < m; ++i)
                memcpy(b + rank * m + (size_t)n * i, got + ((size_t)rank * m + i) * m,
                       sizeof(double) * (size_t)m);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds += MPI_Wtime() - mark;
        for (int j = 0; j < m; ++j)
            for (int i = 0; i < n; ++i)
                if (b[i + (size_t)n * j] != me * m + j + (double)n * i)
                    refuse("transpose_mpi: a wrong element");
    }
    row("matrix", "", 2 * repetitions, 8.0 * m * m * (ranks - 1), seconds / (2 * repetitions));
    free(a);
    free(b);
    free(sent);
    free(got);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* kind = word_argument(argc, argv, "kind", "spectral");
    int nx = argument(argc, argv, "nx", 32), ny = argument(argc, argv, "ny", 32);
    int n = argument(argc, argv, "n", 1024), repetitions = argument(argc, argv, "repetitions", 2);
    nz = argument(argc, argv, "nz", 32);
    end_arguments(argc, argv);
    int is_matrix = strcmp(kind, "matrix") == 0;
    if (is_matrix ? n % ranks != 0 : nx % (2 * ranks) != 0 || ny % ranks != 0)
        refuse("transpose_mpi: the ranks must divide nx/2 and ny, or n");
    if (me == 0)
        printf("kind,direction,variant,transfer,images,transposes,bytes,seconds/transpose,MB/s\n");
    if (is_matrix)
        matrix(n, repetitions);
    else
        spectral(nx, ny, repetitions);
    MPI_Finalize();
    return 0;
}
