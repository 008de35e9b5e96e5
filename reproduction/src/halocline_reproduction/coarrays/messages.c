/* A few calls of MPI with plain C types, for Fortran programs without an MPI module.
 *
 * Compile with mpicc; messages.f90 has the Fortran side.  Ranks count from 0.  An error inside MPI
 * aborts the run (the default handler). */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_REQUESTS 64

static MPI_Request requests[MOST_REQUESTS];
static int pending = 0;

static MPI_Request* next_request(void) {
    if (pending == MOST_REQUESTS) MPI_Abort(MPI_COMM_WORLD, 2);
    return &requests[pending++];
}

void messages_start(void) {
    MPI_Init(NULL, NULL);
}

void messages_stop(void) {
    MPI_Finalize();
}

void messages_abort(void) {
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int messages_rank(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int messages_size(void) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

double messages_time(void) {
    return MPI_Wtime();
}

void messages_barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Starts a send or a receive; messages_wait ends all that were started. */
void messages_send(const double* data, int count, int rank, int tag) {
    MPI_Isend(data, count, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD, next_request());
}

void messages_receive(double* data, int count, int rank, int tag) {
    MPI_Irecv(data, count, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD, next_request());
}

void messages_wait(void) {
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}

int64_t messages_sum_integer(int64_t value) {
    int64_t total;
    MPI_Allreduce(&value, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

int64_t messages_max_integer(int64_t value) {
    int64_t largest;
    MPI_Allreduce(&value, &largest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

double messages_sum(double value) {
    double total;
    MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

double messages_max(double value) {
    double largest;
    MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}
