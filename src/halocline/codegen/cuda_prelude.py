"""The fixed text before generated CUDA functions: types, the cell of a thread, rows that close."""

from __future__ import annotations

from halocline.codegen import prelude


def _on_device(text: str) -> str:
    """Return functions of the C++ target as functions of a device."""
    return text.replace("inline ", "__device__ inline ").replace("__builtin_memcpy", "memcpy")


MATHS = _on_device(prelude.MATHS)
HALVES = _on_device(prelude.HALVES)

PRELUDE = """\
#ifdef __CUDACC_RTC__  // NVRTC has no headers
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef long long int64_t;
#define INT64_C(number) number##LL
#define INT64_MIN (-INT64_C(9223372036854775807) - 1)
#define INFINITY __int_as_float(0x7F800000)
#define NAN __int_as_float(0x7FC00000)
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#endif

// As in 'kernel_abi.h', which says what the members mean. The parameters of every kernel are a box,
// then its fields, then its scalars.
struct Field {
    void* data;
    int64_t component, x, y, z;
};

struct Span {
    int64_t lower, upper, y, z, before;
};

struct Layer {
    int64_t lower[3], upper[3];
};

struct Box {
    int64_t lower[3], upper[3], origin[3], turn;
    const Span* spans;
    int64_t span_count;
    const Layer* layers;
};

namespace {

// The address of cell x = 0 in a row of a component.
template <class T>
__device__ inline T* row_of(const Field& field, int64_t component, int64_t y, int64_t z) {
    return static_cast<T*>(field.data) + component * field.component + y * field.y + z * field.z;
}

// Where cell x of a row lies: its other end follows each end if the row closes on itself.
__device__ inline int64_t turned(int64_t x, int64_t turn) {
    if (x < 0) return x + turn;
    return turn != 0 && x >= turn ? x - turn : x;
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

// Finds the cell of a thread, which counts the cells of all spans.
__device__ inline bool find_in_spans(const Box& box, int64_t i, int64_t& x, int64_t& y,
                                     int64_t& z) {
    if (box.span_count == 0) return false;
    const Span& span = box.spans[find_piece(box.spans, box.span_count, i)];
    x = span.lower + (i - span.before), y = span.y, z = span.z;
    return x < span.upper;
}

// Finds the cell of this thread, if there is one. Threads count cells along x, y and z of a box, or
// along x those of all spans: neighbours along x find neighbours in memory.
__device__ inline bool find_cell(const Box& box, int64_t& x, int64_t& y, int64_t& z) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (box.spans) return find_in_spans(box, i, x, y, z);
    x = box.lower[0] + i;
    y = box.lower[1] + static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    z = box.lower[2] + static_cast<int64_t>(blockIdx.z) * blockDim.z + threadIdx.z;
    return x < box.upper[0] && y < box.upper[1] && z < box.upper[2];
}

}  // namespace

"""

FEEDING = """\
namespace {

__device__ inline bool lies_in(const Layer& layer, int64_t x, int64_t y, int64_t z) {
    return layer.lower[0] <= x && x < layer.upper[0] && layer.lower[1] <= y && y < layer.upper[1] &&
           layer.lower[2] <= z && z < layer.upper[2];
}

}  // namespace

"""
