/* Dense matrix times vector with MPI: what matrix_vector.f90 does with coarrays.
 *
 * Build: mpicc -O3 matrix_vector_mpi.c -o matrix_vector_mpi
 * Rank 0 has the data and scatters groups of rows (a derived type, since columns are contiguous),
 * broadcasts the vector and gathers the product. Arguments and columns: those of matrix_vector.f90.
 */
#include "arguments.h"

static int me, ranks, n;

static int rows_before(int rank) {
    return rank * (n / ranks) + (rank < n % ranks ? rank : n % ranks);
}

static int rows_of(int rank) {
    return rows_before(rank + 1) - rows_before(rank);
}

/* Groups of rows from rank 0 to all. */
static void distribute(const double* matrix, double* rows) {
    MPI_Request request;
    int m = rows_of(me);
    MPI_Irecv(rows, m * n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    for (int rank = 0; me == 0 && rank < ranks; ++rank) {
        MPI_Request sending;
        MPI_Datatype group;
        MPI_Type_vector(n, rows_of(rank), n, MPI_DOUBLE, &group);
        MPI_Type_commit(&group);
        MPI_Isend(matrix + rows_before(rank), 1, group, rank, 0, MPI_COMM_WORLD, &sending);
        if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        MPI_Type_free(&group);
    }
    if (me != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void multiply(const double* rows, int m, const double* x, double* y) {
    memset(y, 0, sizeof(double) * (size_t)m);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) y[i] += rows[(size_t)j * (size_t)m + (size_t)i] * x[j];
}

/* The next vector, made from a product: small whole numbers again. */
static void make_next(double* x) {
    for (int i = 0; i < n; ++i) x[i] = (double)((((long)x[i] % 11) + 11) % 11 - 5);
}

static double lap(double* mark) {
    double now = MPI_Wtime(), seconds = now - *mark;
    *mark = now;
    return seconds;
}

static void verify_and_report(const double* matrix, double* x, const double* result,
                              const char* mode, int products, const double* seconds) {
    double *expected = malloc(sizeof(double) * (size_t)n), mark = MPI_Wtime();
    for (int i = 0; i < products; ++i) {
        multiply(matrix, n, x, expected);
        memcpy(x, expected, sizeof(double) * (size_t)n);
        if (i + 1 < products) make_next(x);
    }
    double serial = lap(&mark);
    for (int i = 0; i < n; ++i)
        if (expected[i] != result[i]) refuse("matrix_vector_mpi: a wrong product");
    free(expected);
    printf(
        "mode,images,n,products,distribute_seconds,broadcast_seconds,multiply_seconds,"
        "gather_seconds,seconds,serial_seconds\n%s,%d,%d,%d,%.5e,%.5e,%.5e,%.5e,%.5e,%.5e\n",
        mode, ranks, n, products, seconds[0], seconds[1], seconds[2], seconds[3],
        seconds[0] + seconds[1] + seconds[2] + seconds[3], serial);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* mode = word_argument(argc, argv, "mode", "once");
    int is_once = strcmp(mode, "once") == 0;
    n = argument(argc, argv, "n", 1000);
    int products = argument(argc, argv, "products", is_once ? 1 : 10);
    end_arguments(argc, argv);
    int m = rows_of(me), counts[ranks], before[ranks];
    size_t vector = sizeof(double) * (size_t)n;
    double *rows = malloc(vector * (size_t)m), *x = malloc(vector), *y = malloc(vector);
    double *start = malloc(vector), *matrix = me == 0 ? malloc(vector * (size_t)n) : NULL;
    for (int i = 0; i < n; ++i) start[i] = x[i] = (5 * (i + 1)) % 11 - 5.0;
    for (int j = 0; me == 0 && j < n; ++j)
        for (int i = 0; i < n; ++i)
            matrix[(size_t)j * (size_t)n + (size_t)i] = (7 * (i + 1) + 13 * (j + 1)) % 17 - 8.0;
    for (int rank = 0; rank < ranks; ++rank) {
        counts[rank] = rows_of(rank);
        before[rank] = rows_before(rank);
    }
    double seconds[4] = {0, 0, 0, 0};
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < products; ++i) {
        double mark = MPI_Wtime();
        if (i == 0 || is_once) distribute(matrix, rows);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds[0] += lap(&mark);
        if (i > 0 && me == 0) make_next(x);
        MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        seconds[1] += lap(&mark);
        multiply(rows, m, x, y);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds[2] += lap(&mark);
        MPI_Gatherv(y, m, MPI_DOUBLE, x, counts, before, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds[3] += lap(&mark);
    }
    if (me == 0) verify_and_report(matrix, start, x, mode, products, seconds);
    free(rows);
    free(x);
    free(y);
    free(start);
    free(matrix);
    MPI_Finalize();
    return 0;
}
