"""The fixed text before generated functions: threads, choices, indices, halves, inlined kernels."""

from __future__ import annotations

PRELUDE = """\
extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
}

namespace {

// Rows [first, last) of a box, counted along y and then z, and in each the cells [lower, upper);
// or the active runs [first, last) of a call; and the thread that computes them.
struct Part {
    int64_t first, last, lower, upper, thread;
};

// The address of cell x = 0 in a row of a component.
template <class T>
inline T* row_of(const halocline_field& field, int64_t component, int64_t y, int64_t z) {
    return static_cast<T*>(field.data) + component * field.component + y * field.y + z * field.z;
}

// Stores to the cells beyond a row that closes on itself are volatile, so that compilers make no
// vectors of one or two cells: those are as much code as the kernel, and take as long to compile.

// Fill the cells [from, 0), or [wrap, end), of such a row; its cells are 'step' numbers apart.
// Threads whose rows read the same row may do so at once: they write the same. The order matters
// where more cells are filled than the row has: each is a copy of the one a turn nearer.
template <int64_t step, class T>
inline void fill_below(T* row, int64_t from, int64_t wrap) {
    volatile T* const to = row;
    for (int64_t x = -1; x >= from; --x) to[x * step] = row[(x + wrap) * step];
}

template <int64_t step, class T>
inline void fill_above(T* row, int64_t end, int64_t wrap) {
    volatile T* const to = row;
    for (int64_t x = wrap; x < end; ++x) to[x * step] = row[(x - wrap) * step];
}

// Move the values assigned in cells of [first, last) beyond such a row to their place in it.
template <int64_t step, class T>
inline void wrap_back(T* row, int64_t first, int64_t last, int64_t wrap) {
    volatile T* const to = row;
    for (int64_t x = first; x < last && x < 0; ++x) {
        int64_t place = x + wrap;
        while (place < 0) place += wrap;
        to[place * step] = row[x * step];
    }
    for (int64_t x = first > wrap ? first : wrap; x < last; ++x) {
        int64_t place = x - wrap;
        while (place >= wrap) place -= wrap;
        to[place * step] = row[x * step];
    }
}

typedef void (*Compute)(const halocline_call&, const Part&);

// What computes rows; and what computes rows of some planes at once, as if they were one, if that
// is of use.
struct Computation {
    Compute rows, together;
    int64_t planes;
};

// The first active run before which there are at least so many cells.
inline int64_t active_run_after(const halocline_call& call, int64_t cells) {
    int64_t low = 0, high = call.active_run_count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (call.active_runs[middle].before < cells) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Computes the active runs of a call on its threads: about as many cells each.
[[gnu::noinline]] void share_active_runs(const halocline_call& call, Compute compute) {
    if (call.active_run_count == 0) return;
    const int64_t parts = call.threads;
    const halocline_active_run& end = call.active_runs[call.active_run_count - 1];
    const int64_t cells = end.before + (end.upper - end.lower);
    if (parts <= 1 || cells < 2048) return compute(call, {0, call.active_run_count, 0, 0, 0});
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int64_t i = 0; i < parts; ++i) {
        const int64_t first = i == 0 ? 0 : active_run_after(call, cells * i / parts);
        const bool is_last = i + 1 == parts;
        const int64_t last =
            is_last ? call.active_run_count : active_run_after(call, cells * (i + 1) / parts);
        compute(call, {first, last, 0, 0, i});
    }
}

// Computes some cells of all rows of a tile.
inline void compute_tile(halocline_call tile, const Part& part, const Computation& compute) {
    const int64_t height = tile.upper[1] - tile.lower[1], z_end = tile.upper[2];
    const int64_t groups = compute.together ? (z_end - tile.lower[2]) / compute.planes : 0;
    if (groups > 0) {
        tile.upper[2] = tile.lower[2] + groups * compute.planes;
        compute.together(tile, {0, groups * height, part.lower, part.upper, part.thread});
        tile.lower[2] = tile.upper[2], tile.upper[2] = z_end;
    }
    const int64_t rest = (z_end - tile.lower[2]) * height;
    if (rest > 0) compute.rows(tile, {0, rest, part.lower, part.upper, part.thread});
}

// Computes some rows [y, y_end) of planes [z, z_end) tile by tile.
inline void compute_tiles(const halocline_call& call, const Part& part, const Computation& compute,
                          int64_t y, int64_t y_end, int64_t z, int64_t z_end) {
    const bool is_cut = call.tile[1] > 0;
    const int64_t cells = is_cut ? call.tile[0] : part.upper - part.lower;
    const int64_t rows = is_cut ? call.tile[1] : y_end - y;
    halocline_call tile = call;
    tile.lower[2] = z, tile.upper[2] = z_end;
    for (int64_t lower = part.lower; lower < part.upper; lower += cells) {
        const int64_t upper = lower + cells < part.upper ? lower + cells : part.upper;
        for (int64_t first = y; first < y_end; first += rows) {
            tile.lower[1] = first;
            tile.upper[1] = first + rows < y_end ? first + rows : y_end;
            compute_tile(tile, {0, 0, lower, upper, part.thread}, compute);
        }
    }
}

// Computes a part in tiles, if there are any: rows that end a plane, whole planes, rows that begin
// one.
[[gnu::noinline]] void compute_part(const halocline_call& call, const Part& part,
                                    const Computation& compute) {
    if (call.tile[1] == 0 && !compute.together) return compute.rows(call, part);
    const int64_t height = call.upper[1] - call.lower[1];
    for (int64_t row = part.first; row < part.last;) {
        const int64_t y = row % height, planes = (part.last - row) / height;
        const bool is_whole = y == 0 && planes > 0;
        const int64_t rest = height - y < part.last - row ? height - y : part.last - row;
        const int64_t first = call.lower[1] + y, z = call.lower[2] + row / height;
        compute_tiles(call, part, compute, first, first + rest, z, z + (is_whole ? planes : 1));
        row += is_whole ? planes * height : rest;
    }
}

// Computes the box of a call on its threads: whole rows each, or pieces of rows if there are few.
[[gnu::noinline]] void share(const halocline_call& call, const Computation& compute) {
    if (call.active_runs) return share_active_runs(call, compute.rows);
    const int64_t height = call.upper[1] - call.lower[1];
    const int64_t depth = call.upper[2] - call.lower[2];
    const Part all{0, height * depth, call.lower[0], call.upper[0], 0};
    const int64_t width = all.upper - all.lower;
    if (width <= 0 || height <= 0 || depth <= 0) return;
    const int64_t parts = call.threads;
    if (parts <= 1) return compute_part(call, all, compute);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int64_t i = 0; i < parts; ++i) {
        Part part = all;
        part.thread = i;
        if (all.last >= parts) {
            part.first = all.last * i / parts;
            part.last = all.last * (i + 1) / parts;
        } else {
            part.lower = all.lower + width * i / parts;
            part.upper = all.lower + width * (i + 1) / parts;
        }
        compute_part(call, part, compute);
    }
}

}  // namespace

"""

NARROW = """\
namespace {

// Whether a box, computed in whole, has one or two cells along x and more along another axis.
inline bool is_narrow(const halocline_call& call) {
    const int64_t width = call.upper[0] - call.lower[0], height = call.upper[1] - call.lower[1];
    const int64_t depth = call.upper[2] - call.lower[2];
    return width <= 2 && (height > 2 || depth > 2) && !call.active_runs && !call.wrap;
}

// The longer one of y and z.
inline int longest_axis(const halocline_call& call) {
    return call.upper[1] - call.lower[1] < call.upper[2] - call.lower[2] ? 2 : 1;
}

// The address of a cell of a component.
template <class T>
inline T* cell_of(const halocline_field& field, int64_t component, int64_t x, int64_t y,
                  int64_t z) {
    return row_of<T>(field, component, y, z) + x * field.x;
}

// Computes a narrow box on the threads of its call: each takes some planes, with whole lines.
[[gnu::noinline]] void share_narrow(const halocline_call& call, Compute compute) {
    const int other = 3 - longest_axis(call);
    const int64_t planes = call.upper[other] - call.lower[other];
    const int64_t parts = call.threads;
    if (parts <= 1) return compute(call, {0, planes, 0, 0, 0});
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int64_t i = 0; i < parts; ++i) {
        compute(call, {planes * i / parts, planes * (i + 1) / parts, 0, 0, i});
    }
}

}  // namespace

"""

MATHS = """\
namespace {

// Defined so that zeros of either sign and what is not a number are treated alike everywhere.
template <class T>
inline T minimum(T a, T b) {
    return b < a ? b : a;
}

template <class T>
inline T maximum(T a, T b) {
    return a < b ? b : a;
}

template <class T>
inline T magnitude(T a) {
    return static_cast<T>(a < 0 ? -a : a);
}

}  // namespace

"""

WRAPPED = """\
// The index of a cell or of an image of it: where the grid is periodic its indices wrap.
inline int64_t wrapped(int64_t index, int64_t period) {
    // Divided only where it must be: that takes as long as many cells.
    if (period == 0 || (index >= 0 && index < period)) return index;
    const int64_t rest = index % period;
    return rest < 0 ? rest + period : rest;
}

"""

INDEXING = f"""\
namespace {{

{WRAPPED}\
// The same for cells of a row whose first has a wrapped index: no row is longer than two periods.
inline int64_t wrapped_on(int64_t index, int64_t period) {{
    const int64_t nearer = index - (index >= period ? period : 0);
    return nearer - (nearer >= period ? period : 0);
}}

}}  // namespace

"""

STRIPS = """\
namespace {

// Where the strip of some cells ends that a cell is in: they begin with cache lines.
template <int64_t strip>
inline int64_t strip_end(int64_t lower, int64_t upper) {
    const int64_t end = (lower & -strip) + strip;
    return end < upper ? end : upper;
}

}  // namespace

"""

WIDENING = """\
namespace {

// Copies the cells [lower, upper) of a row; returns the address of cell x = 0 of a row of those.
template <class T, class Narrow>
[[gnu::noinline]] const T* wide_row(T* wide, const Narrow* row, int64_t lower, int64_t upper) {
    for (int64_t x = lower; x < upper; ++x) wide[x - lower] = static_cast<T>(row[x]);
    return wide - lower;
}

}  // namespace

"""

ROUNDING = """\
namespace {

// A product or a quotient as a number of its type. GCC, from its version 12 on, joins it with sums
// and differences after it whose results lie side by side in memory, to be rounded once, even
// where it is told not to.
template <class T>
inline T rounded(T product) {
#if __GNUC__ >= 12 && !defined(__clang__) && !defined(__CUDACC__)
    return __builtin_assoc_barrier(product);
#else
    return product;
#endif
}

}  // namespace

"""

INLINING = """\
namespace {

// Some rows, from one in 'lower' to before those in 'upper', along y and z.
struct Rows {
    int64_t lower[2], upper[2];
    bool hold(int64_t y, int64_t z) const {
        return lower[0] <= y && y < upper[0] && lower[1] <= z && z < upper[1];
    }
};

// The rows that some, and those that all inlined kernels on a layer compute for; across x, for the
// cell x of it.
struct InlinedRows {
    Rows some, all;
    int64_t x;
};

// An inlined kernel, and the way from a row that it computes for to the row of its layer.
struct Place {
    int64_t number, way[2];
};

inline bool is_nowhere(const halocline_layer& layer) {
    return layer.upper[0] <= layer.lower[0];
}

template <int count>
[[gnu::noinline]] InlinedRows inlined_rows(const halocline_layer* layers,
                                           const Place (&places)[count]) {
    InlinedRows found{{{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}}, {}, 0};
    if (!layers) return found;
    found.all = {{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}};
    for (const Place& place : places) {
        const halocline_layer& layer = layers[place.number];
        if (is_nowhere(layer)) {
            found.all = {};
            continue;
        }
        found.x = layer.lower[0];
        for (int i = 0; i < 2; ++i) {
            const int64_t first = layer.lower[1 + i] - place.way[i];
            const int64_t end = layer.upper[1 + i] - place.way[i];
            found.some.lower[i] = first < found.some.lower[i] ? first : found.some.lower[i];
            found.some.upper[i] = end > found.some.upper[i] ? end : found.some.upper[i];
            found.all.lower[i] = first > found.all.lower[i] ? first : found.all.lower[i];
            found.all.upper[i] = end < found.all.upper[i] ? end : found.all.upper[i];
        }
    }
    return found;
}

inline bool lies_in(const halocline_layer& layer, int64_t y, int64_t z) {
    return !is_nowhere(layer) && layer.lower[1] <= y && y < layer.upper[1] &&
           layer.lower[2] <= z && z < layer.upper[2];
}

// Runs an inlined kernel in the cells [lower, upper) of a row that lie in its layer. Beyond an end
// of a row that closes on itself follows the other end.
template <class Function>
inline void run_inlined(const halocline_call& call, int64_t number, Function function,
                        int64_t lower, int64_t upper, int64_t y, int64_t z) {
    const halocline_layer& layer = call.layers[number];
    if (!lies_in(layer, y, z)) return;
    int64_t shift = 0;
    while (call.wrap != 0 && upper + shift > call.wrap) shift -= call.wrap;
    for (;; shift += call.wrap) {
        const int64_t first = lower + shift > layer.lower[0] ? lower + shift : layer.lower[0];
        const int64_t last = upper + shift < layer.upper[0] ? upper + shift : layer.upper[0];
        if (first < last) function(call, first, last, y, z);
        if (call.wrap == 0 || lower + shift >= 0) break;
    }
}

}  // namespace

"""
