/* Burgers' equation with MPI: what burgers.f90 does with coarrays.
 *
 * Build: mpicc -O3 burgers_mpi.c -o burgers_mpi -lm
 * The same scheme, steps and messages: every derivative sends one number to either neighbour and
 * receives one. A message is its own synchronisation.
 * Arguments: points, end, safety. Columns are those of burgers.f90.
 */
#include "arguments.h"

#include <math.h>

#define VISCOSITY 1.0
#define AMPLITUDE 10.0

static int me, ranks, m, left, right;
static long exchanges = 0;

/* The numbers beside this rank's share. */
static void fetch(const double* f, double* before, double* after) {
    MPI_Request requests[4];
    MPI_Irecv(before, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(after, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&f[m - 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&f[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    exchanges += 2;
}

static void second_derivative(const double* f, double* g, double dx) {
    double before, after;
    fetch(f, &before, &after);
    for (int i = 0; i < m; ++i)
        g[i] =
            ((i + 1 < m ? f[i + 1] : after) - 2 * f[i] + (i > 0 ? f[i - 1] : before)) / (dx * dx);
}

static void flux_derivative(const double* f, double* g, double dx) {
    double before, after;
    fetch(f, &before, &after);
    for (int i = 0; i < m; ++i) {
        double up = i + 1 < m ? f[i + 1] : after, down = i > 0 ? f[i - 1] : before;
        g[i] = (up * up - down * down) / (4 * dx);
    }
}

/* to = u + dt * (what changes f in time). */
static void advance(double* to, const double* u, const double* f, double dt, double dx) {
    double second[m], flux[m];
    second_derivative(f, second, dx);
    flux_derivative(f, flux, dx);
    for (int i = 0; i < m; ++i) to[i] = u[i] + dt * (VISCOSITY * second[i] - flux[i]);
}

/* Modified Bessel function of the first kind. */
static double bessel_i(int n, double z) {
    double term = exp(n * log(z / 2) - lgamma(n + 1.0)), sum = term;
    for (int k = 1; k <= 60; ++k) sum += term *= z * z / 4 / (k * (double)(n + k));
    return sum;
}

/* The Cole-Hopf series for AMPLITUDE * sin(x). */
static double exact(double x, double t) {
    double z = AMPLITUDE / (2 * VISCOSITY), upper = 0, lower = bessel_i(0, z);
    for (int n = 1; n <= 60; ++n) {
        double term = bessel_i(n, z) * exp(-n * n * VISCOSITY * t);
        upper += n * term * sin(n * x);
        lower += 2 * term * cos(n * x);
    }
    return 4 * VISCOSITY * upper / lower;
}

static void report(const double* whole, int points, double time, long steps, double seconds) {
    double most = 0, squares = 0;
    for (int i = 0; i < points; ++i) {
        double error = fabs(whole[i] - exact(i * 2 * acos(-1.0) / points, time));
        most = fmax(most, error);
        squares += error * error;
    }
    if (!(most < AMPLITUDE)) refuse("burgers_mpi: the solution is wrong");
    if (fabs(whole[points / 2]) > 1e-9) refuse("burgers_mpi: no zero at pi");
    printf(
        "images,points,steps,time,max_error,rms_error,order,seconds,exchanges,"
        "microseconds/step\n%d,%d,%ld,%.6e,%.5e,%.5e,,%.5e,%ld,%.5e\n",
        ranks, points, steps, time, most, sqrt(squares / points), seconds, exchanges,
        1e6 * seconds / (double)steps);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int points = argument(argc, argv, "points", 16);
    double end = real_argument(argc, argv, "end", 0.6);
    double safety = real_argument(argc, argv, "safety", 0.1);
    end_arguments(argc, argv);
    if (points % ranks != 0 || points % 2 != 0)
        refuse("burgers_mpi: points must be even and a multiple of the ranks");
    m = points / ranks;
    left = (me + ranks - 1) % ranks;
    right = (me + 1) % ranks;
    double dx = 2 * acos(-1.0) / points, dt = safety * (0.1 * 2 * dx * dx / (4 * VISCOSITY));
    double u[m], half[m], time = 0;
    double* whole = malloc(sizeof(double) * (size_t)points);
    long steps = 0;
    for (int i = 0; i < m; ++i) u[i] = AMPLITUDE * sin((me * m + i) * dx);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (; time < end; time += dt, ++steps) {
        advance(half, u, u, dt / 2, dx);
        advance(u, u, half, dt, dx);
    }
    double seconds = MPI_Wtime() - begin;
    MPI_Gather(u, m, MPI_DOUBLE, whole, m, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (me == 0) report(whole, points, time, steps, seconds);
    free(whole);
    MPI_Finalize();
    return 0;
}
