"""The fixed text before generated CUDA functions: types, the cell of a thread, rows that close."""

from __future__ import annotations

from halocline.codegen import prelude, prelude_division, prelude_halves
from halocline.codegen.names import CPP_WORDS, words

# Names that generated text must not use for something else.
TAKEN = CPP_WORDS | words(
    "x y z n end box Box Field ActiveRun Layer row_of lies_in is_between wrapped_back wrapped_on",
    "find_piece find_in_active_runs begin_of find_cell lies_in_box unsigned first wrapped",
    "Tile Piece tile piece tiles pieces",
    "threadIdx blockIdx blockDim gridDim warpSize __ldg __global__ __device__ __host__",
    "elementary memcpy INT64_C INT64_MIN int32_t int64_t uint8_t uint16_t",
    "uint32_t Made runs minimum maximum magnitude Half same_bits widened narrowed rounded",
    prelude_division.NAMES,
)


def _on_device(text: str) -> str:
    """Return functions of the C++ target as functions of a device."""
    own = {"inline ": "__device__ inline ", "__builtin_memcpy": "memcpy"}
    for of_host, of_device in own.items():
        text = text.replace(of_host, of_device)
    return text


MATHS = _on_device(prelude.MATHS)
DIVIDING = _on_device(prelude_division.DIVIDING)
ROUNDING = _on_device(prelude.ROUNDING)
INDEXING = f"namespace {{\n\n{_on_device(prelude.WRAPPED)}}}  // namespace\n\n"
HALVES = f"""\
namespace {{

{_on_device(prelude_halves.HALF)}\
#ifdef __CUDA_ARCH__  // devices have an instruction for each
__device__ inline float widened(Half half) {{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(half));
    return wide;
}}

__device__ inline Half narrowed(float wide) {{
    Half half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(wide));
    return half;
}}
#else
{_on_device(prelude_halves.CONVERSIONS)}\
#endif

}}  // namespace

"""

PRELUDE = """\
#ifdef __CUDACC_RTC__  // NVRTC has no headers
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
#define INT64_C(number) number##LL
#define UINT64_C(number) number##ULL
#define INT64_MIN (-INT64_C(9223372036854775807) - 1)
#else
#include <stdint.h>
#include <string.h>
#endif

// As in 'kernel_abi.h', which says what the members mean. The parameters of every kernel are a box,
// then its fields, then its scalars.
struct Field {
    void* data;
    int64_t component, x, y, z;
};

struct ActiveRun {
    int64_t lower, upper, y, z, before;
};

struct Layer {
    int64_t lower[3], upper[3];
};

struct Box {
    int64_t lower[3], upper[3], origin[3], period[3], wrap;
    const ActiveRun* active_runs;
    int64_t active_run_count;
    const Layer* layers;
    Layer free_of_inlined;  // no inlined kernel runs for cells in here
};

namespace {

// The address of cell x = 0 in a row of component 0.
template <class T>
__device__ inline T* row_of(const Field& field, int64_t y, int64_t z) {
    return static_cast<T*>(field.data) + y * field.y + z * field.z;
}

// Where a cell below x = 0, or one that may lie beyond the end, is in a row that closes on itself.
__device__ inline int wrapped_back(int x, int64_t wrap) {
    while (wrap != 0 && x < 0) x += static_cast<int>(wrap);
    return x;
}
__device__ inline int wrapped_on(int x, int64_t wrap) {
    while (wrap != 0 && x >= static_cast<int>(wrap)) x -= static_cast<int>(wrap);
    return x;
}

// Finds the piece, each of which says what is before it, that i is in.
template <class Piece>
__device__ inline int64_t find_piece(const Piece* pieces, int64_t count, int64_t i) {
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (pieces[middle].before <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Finds cell i, counted through all active runs.
__device__ inline bool find_in_active_runs(const Box& box, int64_t i, int& x, int& y, int& z) {
    if (box.active_run_count == 0) return false;
    const ActiveRun& run = box.active_runs[find_piece(box.active_runs, box.active_run_count, i)];
    x = static_cast<int>(run.lower + (i - run.before));
    y = static_cast<int>(run.y), z = static_cast<int>(run.z);
    return x < run.upper;
}

// Finds where this thread begins along an axis, if each does so many cells.
__device__ inline int begin_of(int64_t lower, unsigned block, unsigned size, unsigned thread,
                               int cells) {
    return static_cast<int>(lower) + static_cast<int>(block * size + thread) * cells;
}

__device__ inline bool lies_in_box(const Box& box, int x, int y, int z) {
    return x < static_cast<int>(box.upper[0]) && y < static_cast<int>(box.upper[1]) &&
           z < static_cast<int>(box.upper[2]);
}

// Finds the first cell of this thread, if there is one. Threads count cells along x, and runs of
// cells along y or z, of a box; or along x the cells of all active runs. Neighbours along x find
// neighbours in memory. No block has so many cells along an axis that 32 bits could not count them.
template <int along_y = 1, int along_z = 1>
__device__ inline bool find_cell(const Box& box, int& x, int& y, int& z) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (box.active_runs) return find_in_active_runs(box, i, x, y, z);
    x = begin_of(box.lower[0], blockIdx.x, blockDim.x, threadIdx.x, 1);
    y = begin_of(box.lower[1], blockIdx.y, blockDim.y, threadIdx.y, along_y);
    z = begin_of(box.lower[2], blockIdx.z, blockDim.z, threadIdx.z, along_z);
    return lies_in_box(box, x, y, z);
}

}  // namespace

"""

BATCHING = """\
// All boxes of a kernel come as a table; a block of threads has a tile of one of them.
struct Tile {
    int32_t piece;
    int32_t x, y, z;  // its first cell, or which cell that is of the active runs
};

template <int fields>
struct Piece {
    Box box;
    int64_t log_x, log_y, log_z;  // a block has 2^log_x threads along x
    Field field[fields];
};

namespace {

// Finds the first cell of this thread in a tile, likewise.
template <int along_y = 1, int along_z = 1, int fields>
__device__ inline bool find_cell(const Piece<fields>& piece, const Tile& tile, int& x, int& y,
                                 int& z) {
    const int i = static_cast<int>(threadIdx.x);
    if (piece.box.active_runs) return find_in_active_runs(piece.box, tile.x + i, x, y, z);
    const int above_x = static_cast<int>(piece.log_x);
    const int above_y = above_x + static_cast<int>(piece.log_y);
    x = tile.x + (i & ((1 << above_x) - 1));
    y = tile.y + (i >> above_x & ((1 << (above_y - above_x)) - 1)) * along_y;
    z = tile.z + (i >> above_y) * along_z;
    const bool is_used = i >> (above_y + static_cast<int>(piece.log_z)) == 0;
    return is_used && lies_in_box(piece.box, x, y, z);
}

}  // namespace

"""

INLINING = """\
namespace {

__device__ inline bool is_between(int64_t lower, int i, int64_t upper) {
    return static_cast<int>(lower) <= i & i < static_cast<int>(upper);
}

// What an inlined kernel has made and where it is to be stored.
template <class T>
struct Made {
    T* to;
    T value;
};

// Operators that stop early would make what is loaded of a layer wait for what was loaded before.
__device__ inline bool lies_in(const Layer& layer, int x, int y, int z) {
    return is_between(layer.lower[0], x, layer.upper[0]) &
           is_between(layer.lower[1], y, layer.upper[1]) &
           is_between(layer.lower[2], z, layer.upper[2]);
}

}  // namespace

"""
