"""What the runtime does on a device beside the user's kernels: moves, sums, the first NaN.

The text is the same for every plan: what to move or to look at comes as a table. Packing a message
is one launch, whatever parts it has.
"""

from __future__ import annotations

from halocline.codegen.cuda_prelude import HALVES, PRELUDE
from halocline.codegen.source import Source

# In the order of 'ServiceKernels' in 'cpp/device/services.hpp', whose structures are repeated here.
_ENTRIES = (
    "halocline_move",
    "halocline_sum",
    "halocline_fold",
    "halocline_extremes",
    "halocline_find_outliers",
)

_THREADS = """\
namespace {

// Boxes, in each of which so many values come after those of the boxes before. 'starts' has for
// every 2^shift of all values the box of the first one, and then the last box.
template <class Piece>
struct Table {
    const Piece* pieces;
    const int32_t* starts;
    int64_t shift;
};

// Finds the box that value i is in.
template <class Piece>
__device__ inline int64_t find_box(const Table<Piece>& table, int64_t i) {
    const int32_t* const start = table.starts + (i >> table.shift);
    const int64_t first = start[0];
    return first + find_piece(table.pieces + first, start[1] + 1 - first, i);
}

__device__ inline int64_t thread_number() {
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t thread_count() {
    return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace

"""

_MOVES = """\
namespace {

// The values of a box; strides in bytes.
struct Rows {
    char* first;
    int64_t x, y, z;
};

// Values that go from one box to another, or one value that goes everywhere.
struct Move {
    Rows source;  // without a first value: 'value' is meant
    Rows target;
    int64_t nx, ny;
    int64_t size;  // of a value [bytes]
    int64_t value;
    int64_t before;  // values of the moves before this one
};

template <class T>
__device__ inline T* place_in(const Rows& rows, int64_t x, int64_t y, int64_t z) {
    return reinterpret_cast<T*>(rows.first + x * rows.x + y * rows.y + z * rows.z);
}

template <class T>
__device__ inline void move_value(const Move& move, int64_t x, int64_t y, int64_t z) {
    *place_in<T>(move.target, x, y, z) =
        move.source.first ? *place_in<const T>(move.source, x, y, z) : static_cast<T>(move.value);
}

}  // namespace

// Each thread moves one value: neighbours along x find neighbours in memory. The values may be some
// of a table's.
extern "C" __global__ void __launch_bounds__(256, 1)
halocline_move(const Table<Move> moves, const int64_t first, const int64_t values) {
    if (thread_number() >= values) return;
    const int64_t i = first + thread_number();
    const Move& move = moves.pieces[find_box(moves, i)];
    // Devices divide numbers of 32 bits much faster; the runtime moves no more at once.
    const uint32_t place = static_cast<uint32_t>(i - move.before);
    const uint32_t row = place / static_cast<uint32_t>(move.nx);
    const int64_t x = place - row * static_cast<uint32_t>(move.nx);
    const int64_t y = row % static_cast<uint32_t>(move.ny);
    const int64_t z = row / static_cast<uint32_t>(move.ny);
    switch (move.size) {
        case 8: return move_value<int64_t>(move, x, y, z);
        case 4: return move_value<int32_t>(move, x, y, z);
        case 2: return move_value<uint16_t>(move, x, y, z);
        default: return move_value<uint8_t>(move, x, y, z);
    }
}

"""

_CELLS = """\
namespace {

// One component of a field in a box. Types are counted as in 'ElementType'.
struct Cells {
    Field field;
    int64_t component, type;
    int64_t lower[3], upper[3];
    int64_t before;  // values of the boxes before this one
};

template <class T>
__device__ inline T at(const Cells& cells, int64_t x, int64_t y, int64_t z) {
    const int64_t place = cells.component * cells.field.component + x * cells.field.x;
    return row_of<const T>(cells.field, y, z)[place];
}

// An integer of 64 bits as a double; where 'rest' is wanted, as two that hold all of it.
template <class T>
__device__ inline double of_integer(T value, double* rest) {
    if (!rest) return static_cast<double>(value);
    *rest = static_cast<double>(value & 0xFFFFFFFF);
    return 4294967296.0 * static_cast<double>(value >> 32);
}

// The i-th value of a box, x fastest.
__device__ inline double value_of(const Cells& cells, int64_t i, double* rest = nullptr) {
    const int64_t nx = cells.upper[0] - cells.lower[0], ny = cells.upper[1] - cells.lower[1];
    const int64_t x = cells.lower[0] + i % nx;
    const int64_t y = cells.lower[1] + i / nx % ny;
    const int64_t z = cells.lower[2] + i / nx / ny;
    switch (cells.type) {
        case 0: return widened(at<Half>(cells, x, y, z));
        case 1: return at<float>(cells, x, y, z);
        case 2: return at<double>(cells, x, y, z);
        case 3: return at<int8_t>(cells, x, y, z);
        case 4: return at<int16_t>(cells, x, y, z);
        case 5: return at<int32_t>(cells, x, y, z);
        case 6: return of_integer(at<int64_t>(cells, x, y, z), rest);
        case 7: return at<uint8_t>(cells, x, y, z);
        case 8: return at<uint16_t>(cells, x, y, z);
        case 9: return at<uint32_t>(cells, x, y, z);
        default: return of_integer(at<uint64_t>(cells, x, y, z), rest);
    }
}

// The i-th value of all boxes.
__device__ inline double value_of(const Table<Cells>& table, int64_t i, double* rest = nullptr) {
    const Cells& cells = table.pieces[find_box(table, i)];
    return value_of(cells, i - cells.before, rest);
}

}  // namespace

"""

_SUM = """\
namespace {

constexpr int64_t chunks = 67;  // then NaN, +infinity, -infinity: see 'superaccumulator.hpp'

__device__ inline void add_word(unsigned long long* words, int64_t word, int64_t slots,
                                int64_t number) {
    if (number != 0) atomicAdd(words + word * slots, static_cast<unsigned long long>(number));
}

// What a thread has added up and not yet told: pieces of neighbouring chunks, of less than 2^32 a
// value, so that 2^31 values fit. Most values of a field lie in the same chunks.
struct Pieces {
    int64_t chunk, lower, middle, upper;
};

__device__ inline void tell(const Pieces& pieces, unsigned long long* words, int64_t slots) {
    add_word(words, pieces.chunk, slots, pieces.lower);
    add_word(words, pieces.chunk + 1, slots, pieces.middle);
    add_word(words, pieces.chunk + 2, slots, pieces.upper);
}

// Adds a value exactly.
__device__ inline void add_exactly(Pieces& pieces, unsigned long long* words, int64_t slots,
                                   double value) {
    const int64_t bits = same_bits<int64_t>(value);
    const int64_t exponent = bits >> 52 & 0x7FF;
    int64_t mantissa = bits & 0xFFFFFFFFFFFFF;
    if (exponent == 0x7FF) {
        return add_word(words, chunks + (mantissa != 0 ? 0 : bits < 0 ? 2 : 1), slots, 1);
    }
    if (exponent != 0) mantissa |= INT64_C(1) << 52;
    const int64_t position = exponent - (exponent != 0 ? 1 : 0);
    const int64_t chunk = position / 32, shift = position % 32;
    if (chunk != pieces.chunk) {
        tell(pieces, words, slots);
        pieces = {chunk, 0, 0, 0};
    }
    const int64_t upper = mantissa >> (32 - shift);
    const int64_t sign = bits < 0 ? -1 : 1;
    pieces.lower += sign * (mantissa << shift & 0xFFFFFFFF);
    pieces.middle += sign * (upper & 0xFFFFFFFF);
    pieces.upper += sign * (upper >> 32);
}

}  // namespace

// Threads share 'slots' results, neighbours none: atomic operations seldom meet.
extern "C" __global__ void __launch_bounds__(256, 1)
halocline_sum(const Table<Cells> cells, const int64_t count, unsigned long long* const words,
              const int64_t slots) {
    unsigned long long* const mine = words + thread_number() % slots;
    Pieces pieces = {0, 0, 0, 0};
    for (int64_t i = thread_number(); i < count; i += thread_count()) {
        double rest = 0.0;
        add_exactly(pieces, mine, slots, value_of(cells, i, &rest));
        if (rest != 0.0) add_exactly(pieces, mine, slots, rest);
    }
    tell(pieces, mine, slots);
}

// Adds these results to one, with room for all: what is beyond 32 bits goes to the next chunk.
extern "C" __global__ void __launch_bounds__(256, 1)
halocline_fold(const long long* const words, unsigned long long* const total, const int64_t slots,
               const int64_t count) {
    if (thread_number() >= count) return;
    const int64_t number = words[thread_number()], word = thread_number() / slots;
    if (word >= chunks - 1) return add_word(total, word, 1, number);
    add_word(total, word, 1, number & 0xFFFFFFFF);
    add_word(total, word + 1, 1, number >> 32);
}

"""

_EXTREMES = """\
namespace {

// Doubles as integers in the same order: those of NaN lie beyond those of the infinities.
__device__ inline int64_t rank_of(double value) {
    const int64_t bits = same_bits<int64_t>(value);
    return bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF);
}

}  // namespace

// The first 'slots' results are the least ranks, then come the greatest.
extern "C" __global__ void __launch_bounds__(256, 1)
halocline_extremes(const Table<Cells> cells, const int64_t count, long long* const ranks,
                   const int64_t slots) {
    if (thread_number() >= count) return;
    int64_t least = rank_of(value_of(cells, thread_number())), greatest = least;
    for (int64_t i = thread_number() + thread_count(); i < count; i += thread_count()) {
        const int64_t rank = rank_of(value_of(cells, i));
        if (rank < least) least = rank;
        if (rank > greatest) greatest = rank;
    }
    long long* const mine = ranks + thread_number() % slots;
    atomicMin(mine, static_cast<long long>(least));
    atomicMax(mine + slots, static_cast<long long>(greatest));
}

// Counts the values outside of limits, and those that are not numbers.
extern "C" __global__ void __launch_bounds__(256, 1)
halocline_find_outliers(const Table<Cells> cells, const int64_t count, const double low,
                        const double high, long long* const found) {
    for (int64_t i = thread_number(); i < count; i += thread_count()) {
        const double value = value_of(cells, i);
        if (!(value >= low && value <= high)) atomicMax(found, 1LL);
    }
}
"""


def print_services() -> Source:
    """Return the text of the kernels that every runtime with a device needs."""
    text = PRELUDE + HALVES + _THREADS + _MOVES + _CELLS + _SUM + _EXTREMES
    return Source("cuda", text, _ENTRIES)
