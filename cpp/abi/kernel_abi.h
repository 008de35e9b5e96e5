/* The only header that generated kernels see: the border between generated code and runtime.
 *
 * A kernel computes one box of one block. Boxes are half-open and count cells from the lower corner
 * of the block's owned cells: cell (0, 0, 0) is the first owned cell; halo cells have negative
 * indices or indices beyond the extent. One- and two-dimensional grids have extent 1 in the
 * remaining axes.
 */
#pragma once

#include <stdint.h>

#define HALOCLINE_ABI 11

/* One field on one block. Strides count elements. */
typedef struct halocline_field {
    void* data;        /* cell (0, 0, 0) of component 0 */
    int64_t component; /* from one component to the next */
    int64_t x;         /* from one cell of a row to the next: 1, or the number of components if
                        * they lie side by side; kernels know which */
    int64_t y;         /* from one row to the next */
    int64_t z;         /* from one plane to the next */
} halocline_field;

/* Neighbouring cells of one row: a piece of a set of cells that is no box. */
typedef struct halocline_active_run {
    int64_t lower; /* the cells [lower, upper) */
    int64_t upper;
    int64_t y;
    int64_t z;
    int64_t before; /* cells of the active runs before this one */
} halocline_active_run;

/* The cells, of a layer beyond a side, where an inlined kernel runs. */
typedef struct halocline_layer {
    int64_t lower[3]; /* empty if it does not run on this block */
    int64_t upper[3];
} halocline_layer;

/* What values have come to in a kernel that added up their parts as integers, modulo 2^64; see
 * 'Folded' in runtime/wide.hpp. */
typedef struct halocline_folded {
    uint64_t high;    /* sum of the representations of the values with 'high' added */
    uint64_t low;     /* likewise of what is left with 'low' */
    uint64_t changed; /* bits in which one of the former differs from 'high' */
    uint64_t lost;    /* not zero, but for the sign, if something was left then */
    int64_t count;    /* how many were added, zeros included */
} halocline_folded;

/* What takes values that a kernel computes and does not store. */
typedef struct halocline_sink {
    /* Takes values; if 'fold' is not null it is what they have come to with 'high' and 'low', which
     * may be others afterwards. At most 2048 at once then. */
    void (*take)(struct halocline_sink* sink, const double* values, int64_t count,
                 const halocline_folded* fold);
    void* into;
    double high, low;
} halocline_sink;

typedef struct halocline_call {
    const halocline_field* fields; /* in the order of the kernel's fields */
    const double* scalars;         /* in the order of the kernel's scalars */
    int64_t lower[3];              /* the box, in cells of the block */
    int64_t upper[3];
    int64_t origin[3]; /* global index of cell (0, 0, 0) */
    int64_t period[3]; /* cells once around the grid, along which global indices wrap;
                        * 0 along axes where the grid is not periodic */
    int64_t wrap;      /* cells once around the grid along x, if the block spans it and
                        * the kernel is to close rows itself; else 0 */
    int64_t tile[2];   /* cells along x and rows along y that a thread goes through plane by
                        * plane; 0: all there are */
    int32_t threads;   /* OpenMP threads to use */
    int32_t stream;    /* how it writes what it does not read again: 0: cell by cell; 1: in
                        * whole lines by non-temporal stores, as fields outgrow caches; 2: in
                        * whole lines, prefetched as what is read is */
    int32_t fetch;     /* so many cache lines ahead it fetches what it reads, if it does so at all;
                        * 0: it does not */
    const halocline_active_run*
        active_runs; /* if not null, only the cells of these runs, all in the box */
    int64_t active_run_count;
    const halocline_layer* layers; /* if not null, one for each inlined kernel: it runs in those
                                    * cells that a cell of the call reads, just before it */
    halocline_sink* sinks;         /* for each thread, one for each field whose values are taken */
} halocline_call;

/* The signature of every generated kernel. */
typedef void (*halocline_kernel)(const halocline_call* call);
