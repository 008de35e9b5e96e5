/* Micro-benchmarks of messages: what micro.f90 measures of coarrays, with MPI.
 *
 * Build: mpicc -O3 micro_mpi.c -o micro_mpi
 * point: send (a message is its own synchronisation), put and get (MPI-3, then an empty message).
 * synchronisation: all (MPI_Barrier) and pairwise (an empty message there and back).
 * halo: six faces of a periodic cube as derived types, from array to array.
 * Arguments and columns are those of micro.f90; modes contiguous and strided, arrangements single
 * and multiple.
 */
#include "arguments.h"

#include <math.h>
#include <stdint.h>

#define MEGABYTE 1048576.0
#define PAGE 4096

typedef struct {
    int count, block, stride, extent;
} pattern;

static int me, ranks;
static const char* names_of_operations[] = {"send", "put", "get"};
enum { SEND, PUT, GET };

static double value(int rank, int word) {
    return (rank + 1) * 4294967296.0 + word;
}

static void row(const char* words, const int numbers[4], double seconds, double interval,
                double rate) {
    if (me != 0) return;
    printf("%s,%d", words, ranks);
    for (int i = 0; i < 4; ++i)
        if (numbers[i] >= 0)
            printf(",%d", numbers[i]);
        else
            printf(",");
    printf(",%.5e,", seconds);
    if (interval >= 0) printf("%.5e", interval);
    printf(",");
    if (rate >= 0) printf("%.5e", rate);
    printf("\n");
}

/* Whether a test was long enough, as rank 0 sees it. */
static int is_enough(double* seconds, double least, int repetitions) {
    MPI_Bcast(seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return repetitions > 1 && (*seconds >= least || repetitions > 1 << 28);
}

/* One of the pair moves the pattern, the other takes it, or only learns of it. */
static void move(int operation, int is_mine, int partner, double* x, double* local,
                 MPI_Datatype type, MPI_Win window) {
    if (operation == SEND) {
        if (is_mine)
            MPI_Send(local, 1, type, partner, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(x, 1, type, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is_mine) {
        if (operation == PUT)
            MPI_Put(local, 1, type, partner, 0, 1, type, window);
        else
            MPI_Get(local, 1, type, partner, 0, 1, type, window);
        MPI_Win_flush(partner, window);
        MPI_Send(NULL, 0, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_sync(window);
    }
}

static void verify(pattern p, int partner, const double* found) {
    for (int i = 0; i < p.extent; ++i) {
        double expected = i % p.stride < p.block ? value(partner, i) : -1.0;
        if (found[i] != expected) refuse("micro_mpi: a transfer arrived wrong");
    }
}

static void ping_pong(pattern p, const char* mode, int operation, const char* arrangement,
                      double least) {
    int half = ranks / 2, is_single = strcmp(arrangement, "single") == 0, repetitions = 1;
    int takes_part = !is_single || me == 0 || me == ranks - 1;
    int is_first = is_single ? me == 0 : me < half;
    int partner = is_single ? (me == 0 ? ranks - 1 : 0) : is_first ? me + half : me - half;
    MPI_Aint bytes = (MPI_Aint)((p.extent * sizeof(double) + PAGE - 1) / PAGE * PAGE);
    double *x, *local = malloc((size_t)bytes), seconds;
    MPI_Win window;
    MPI_Datatype type;
    MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &window);
    for (int i = 0; i < p.extent; ++i) {
        x[i] = operation == GET ? value(me, i) : -1.0;
        local[i] = operation == GET ? -1.0 : value(me, i);
    }
    MPI_Type_vector(p.count, p.block, p.stride, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Win_lock_all(0, window);
    for (;; repetitions *= 2) {
        MPI_Barrier(MPI_COMM_WORLD);
        seconds = MPI_Wtime();
        for (int i = 0; i < 2 * repetitions && takes_part; ++i)
            move(operation, is_first == (i % 2 == 0), partner, x, local, type, window);
        seconds = MPI_Wtime() - seconds;
        if (is_enough(&seconds, least, repetitions)) break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (takes_part) verify(p, partner, operation == GET ? local : x);
    MPI_Win_unlock_all(window);
    MPI_Type_free(&type);
    MPI_Win_free(&window);
    free(local);
    seconds /= 2.0 * repetitions;
    char words[128];
    snprintf(words, sizeof words, "point,%s,%s,%s,", mode, names_of_operations[operation],
             arrangement);
    row(words, (int[]){p.count, p.block, p.stride, repetitions}, seconds, -1,
        8.0 * p.count * p.block / MEGABYTE / seconds);
}

static void point_to_point(const char* mode, const char* operation, const char* arrangement,
                           int words, double least) {
    for (int o = SEND; o <= GET; ++o) {
        if (strcmp(operation, "all") != 0 && strcmp(operation, names_of_operations[o]) != 0)
            continue;
        if (strcmp(mode, "strided") == 0) {
            for (int stride = words < 128 ? words : 128; stride >= 1; stride /= 2) {
                int count = (words - 1) / stride + 1;
                pattern p = {count, 1, stride, 1 + (count - 1) * stride};
                ping_pong(p, mode, o, arrangement, least);
            }
        } else {
            for (int n = 1; n <= words; n *= 2)
                ping_pong((pattern){1, n, n, n}, mode, o, arrangement, least);
        }
    }
}

static volatile double sink;

static double timed(int is_pairwise, int with_sync, int partner, int delay, int inner) {
    double start = MPI_Wtime();
    for (int i = 0; i < inner; ++i) {
        for (int k = 0; k < delay; ++k) sink = sink * 0.5 + k;
        if (!with_sync) continue;
        if (is_pairwise)
            MPI_Sendrecv(NULL, 0, MPI_BYTE, partner, 0, NULL, 0, MPI_BYTE, partner, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / inner;
}

static void synchronisation(int is_pairwise, int delay, int outer, int inner) {
    int half = ranks / 2, partner = me < half ? me + half : me < 2 * half ? me - half : me;
    double sum = 0, squares = 0;
    timed(is_pairwise, 1, partner, delay, inner);
    for (int i = 0; i < outer; ++i) {
        double without = timed(is_pairwise, 0, partner, delay, inner);
        MPI_Barrier(MPI_COMM_WORLD);
        double found = timed(is_pairwise, 1, partner, delay, inner) - without;
        sum += found;
        squares += found * found;
    }
    double mean = sum / outer, spread = fmax(0, squares / outer - mean * mean);
    row(is_pairwise ? "synchronisation,pairwise,,," : "synchronisation,all,,,",
        (int[]){-1, -1, -1, outer * inner}, mean, 1.96 * sqrt(spread / outer), -1);
}

static int grid[3], place[3], n;

static double* point_of(double* u, int i, int j, int k) {
    return u + i + (n + 2) * (j + (int64_t)(n + 2) * k);
}

/* The number of a point of the whole periodic grid. */
static double number_of(int i, int j, int k) {
    int at[3] = {i, j, k};
    double number = 0;
    for (int d = 2; d >= 0; --d) {
        int whole = n * grid[d];
        number = number * whole + (place[d] * n + at[d] - 1 + whole) % whole;
    }
    return number;
}

static void check_halo(double* u) {
    for (int k = 0; k < n + 2; ++k)
        for (int j = 0; j < n + 2; ++j)
            for (int i = 0; i < n + 2; ++i) {
                int outside = (i < 1 || i > n) + (j < 1 || j > n) + (k < 1 || k > n);
                double expected = outside < 2 ? number_of(i, j, k) : -1.0;
                if (*point_of(u, i, j, k) != expected) refuse("micro_mpi: a halo is wrong");
            }
}

static void fill(double* u) {
    for (int k = 0; k < n + 2; ++k)
        for (int j = 0; j < n + 2; ++j)
            for (int i = 0; i < n + 2; ++i) {
                int inside = i >= 1 && i <= n && j >= 1 && j <= n && k >= 1 && k <= n;
                *point_of(u, i, j, k) = inside ? number_of(i, j, k) : -1.0;
            }
}

/* The type of the layer at a place along an axis. */
static MPI_Datatype layer(int axis, int where) {
    int whole[3] = {n + 2, n + 2, n + 2}, part[3] = {n, n, n}, from[3] = {1, 1, 1};
    MPI_Datatype type;
    part[axis] = 1;
    from[axis] = where;
    MPI_Type_create_subarray(3, whole, part, from, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void halo(int edge, double least) {
    int periods[3] = {1, 1, 1}, low[3], high[3], repetitions = 1;
    MPI_Datatype sent[6], received[6];
    MPI_Comm cube;
    double *u, seconds;
    n = edge;
    memset(grid, 0, sizeof grid);
    MPI_Dims_create(ranks, 3, grid);
    MPI_Cart_create(MPI_COMM_WORLD, 3, grid, periods, 0, &cube);
    MPI_Cart_coords(cube, me, 3, place);
    u = malloc(sizeof(double) * (size_t)(n + 2) * (size_t)(n + 2) * (size_t)(n + 2));
    fill(u);
    for (int d = 0; d < 3; ++d) {
        MPI_Cart_shift(cube, d, 1, &low[d], &high[d]);
        sent[2 * d] = layer(d, 1);
        received[2 * d] = layer(d, n + 1);
        sent[2 * d + 1] = layer(d, n);
        received[2 * d + 1] = layer(d, 0);
    }
    for (;; repetitions *= 2) {
        MPI_Barrier(cube);
        seconds = MPI_Wtime();
        for (int i = 0; i < repetitions; ++i) {
            MPI_Request requests[12];
            for (int d = 0; d < 3; ++d) {
                MPI_Irecv(u, 1, received[2 * d], high[d], 0, cube, &requests[4 * d]);
                MPI_Irecv(u, 1, received[2 * d + 1], low[d], 1, cube, &requests[4 * d + 1]);
                MPI_Isend(u, 1, sent[2 * d], low[d], 0, cube, &requests[4 * d + 2]);
                MPI_Isend(u, 1, sent[2 * d + 1], high[d], 1, cube, &requests[4 * d + 3]);
            }
            MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        }
        seconds = MPI_Wtime() - seconds;
        if (is_enough(&seconds, least, repetitions)) break;
    }
    check_halo(u);
    for (int i = 0; i < 6; ++i) {
        MPI_Type_free(&sent[i]);
        MPI_Type_free(&received[i]);
    }
    free(u);
    seconds /= repetitions;
    row("halo,cube,send,,", (int[]){6, n * n, -1, repetitions}, seconds, -1,
        48.0 * n * n / MEGABYTE / seconds);
    MPI_Comm_free(&cube);
}

int main(int argc, char** argv) {
    static const int edges[] = {10, 50, 100, 150};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* part = word_argument(argc, argv, "part", "all");
    const char* mode = word_argument(argc, argv, "mode", "contiguous");
    const char* operation = word_argument(argc, argv, "operation", "all");
    const char* arrangement = word_argument(argc, argv, "arrangement", "single");
    int words = argument(argc, argv, "words", 1 << 22);
    double least = real_argument(argc, argv, "seconds", 0.5);
    int largest = argument(argc, argv, "largest", 150);
    int delay = argument(argc, argv, "delay", 500), outer = argument(argc, argv, "outer", 100);
    int inner = argument(argc, argv, "inner", 200);
    end_arguments(argc, argv);
    if (ranks < 2 || (strcmp(arrangement, "multiple") == 0 && ranks % 2 != 0))
        refuse("micro_mpi: two ranks at least, and for arrangement=multiple an even number");
    int is_all = strcmp(part, "all") == 0;
    if (me == 0)
        printf(
            "part,kind,operation,arrangement,synchronisation,images,count,block_words,"
            "stride_words,repetitions,seconds,interval_seconds,MB/s\n");
    if (is_all || strcmp(part, "point") == 0)
        point_to_point(mode, operation, arrangement, words, least);
    if (is_all || strcmp(part, "synchronisation") == 0)
        for (int is_pairwise = 0; is_pairwise <= 1; ++is_pairwise)
            synchronisation(is_pairwise, delay, outer, inner);
    if (is_all || strcmp(part, "halo") == 0)
        for (int i = 0; i < 4; ++i)
            if (edges[i] <= largest) halo(edges[i], least);
    MPI_Finalize();
    return 0;
}
