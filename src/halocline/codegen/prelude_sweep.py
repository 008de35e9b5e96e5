"""What generated C++ functions share that do cells in order: columns at once, rows beside."""

from __future__ import annotations

SWEEPING = """\
namespace {

inline int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

inline int64_t greater(int64_t a, int64_t b) {
    return a < b ? b : a;
}

// How many parts of at most so many make up a whole.
inline int64_t parts_of(int64_t whole, int64_t part) {
    return (whole + part - 1) / part;
}

// Computes a sweep along an axis on the threads of a call: each column as a whole, by one thread.
// What columns pass on from cell to cell should stay in a near cache: so many columns are done at
// once. They are cut where cache lines begin.
template <int axis, int64_t columns>
inline void share_columns(const halocline_call& call, Compute compute) {
    constexpr int other = axis == 1 ? 2 : 1;
    const int64_t width = call.upper[0] - call.lower[0];
    const int64_t height = call.upper[1] - call.lower[1];
    const int64_t depth = call.upper[2] - call.lower[2];
    if (width <= 0 || height <= 0 || depth <= 0) return;
    const int64_t threads = greater(call.threads, 1);
    if (axis == 0) {
        halocline_call rows = call;
        rows.threads = static_cast<int32_t>(lesser(height * depth, threads));
        return share(rows, {compute, nullptr, 1});
    }
    const int64_t count = axis == 1 ? depth : height;
    const int64_t cuts = greater(parts_of(width, columns), parts_of(threads, count));
    const int64_t cut = parts_of(parts_of(width, cuts), 64) * 64;
    const int64_t before = call.lower[0] & 63;
    const int64_t across = parts_of(before + width, cut);
    // Rows side by side are one stretch of memory; along y they follow each other in any case.
    const int64_t beside = axis == 1 ? 1
                         : lesser(greater(columns / width, 1), parts_of(count, threads));
    const int64_t pieces = parts_of(count, beside);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < across * pieces; ++i) {
        halocline_call piece = call;
        const int64_t x = call.lower[0] - before + i % across * cut;
        const int64_t first = call.lower[other] + i / across * beside;
        piece.lower[0] = greater(x, call.lower[0]);
        piece.upper[0] = lesser(x + cut, call.upper[0]);
        piece.lower[other] = first;
        piece.upper[other] = lesser(first + beside, call.upper[other]);
        const int64_t rows = (piece.upper[1] - piece.lower[1]) * (piece.upper[2] - piece.lower[2]);
        compute(piece, {0, rows, piece.lower[0], piece.upper[0], 0});
    }
}

}  // namespace

"""

TURNING = """\
namespace {

// So many rows are computed beside each other: each waits for its own cell before, but together
// they are vectors. Pieces of them are turned for that, in a near cache, so that the cells with one
// x follow each other.
constexpr int64_t lanes = 16;

// Numbers in the side of the squares that are turned in registers.
template <class T>
constexpr int square() {
#if defined(__AVX512F__)
    constexpr int fit = 64 / sizeof(T);
#elif defined(__AVX__)
    constexpr int fit = 32 / sizeof(T);
#else
    constexpr int fit = 16 / sizeof(T);
#endif
    return fit < lanes ? fit : lanes;
}

template <int... place>
struct Places {};

template <int count, int... place>
struct FirstPlaces : FirstPlaces<count - 1, count - 1, place...> {};

template <int... place>
struct FirstPlaces<0, place...> {
    typedef Places<place...> type;
};

// Exchanges, in squares of 2 * half, the upper right and the lower left quarters of rows.
template <int side, int half, class Vector, int... place>
inline void exchange(Vector& a, Vector& b, Places<place...>) {
    const Vector low =
        __builtin_shufflevector(a, b, (place & half ? side + place - half : place)...);
    const Vector high =
        __builtin_shufflevector(a, b, (place & half ? side + place : place + half)...);
    a = low;
    b = high;
}

template <int side, int half, class Vector>
inline void turn_parts(Vector (&row)[side]) {
    for (int i = 0; i < side; ++i) {
        if (!(i & half))
            exchange<side, half>(row[i], row[i + half], typename FirstPlaces<side>::type());
    }
    if constexpr (half > 1) turn_parts<side, half / 2>(row);
}

// Turns a square: its rows, which lie so far from each other, become columns.
template <class T>
inline void turn_square(T* to, int64_t to_step, const T* from, int64_t from_step) {
    constexpr int side = square<T>();
    typedef T Vector __attribute__((vector_size(side * sizeof(T))));
    Vector row[side];
    for (int i = 0; i < side; ++i) __builtin_memcpy(&row[i], from + i * from_step, sizeof(Vector));
    turn_parts<side, side / 2>(row);
    for (int i = 0; i < side; ++i) __builtin_memcpy(to + i * to_step, &row[i], sizeof(Vector));
}

// Turns the cells [first, last) of some rows, so far from each other, into 'turned'; returns where
// the cells x = 0 would be there.
template <class T>
[[gnu::noinline]] T* turn(T* turned, const T* row, int64_t step, int64_t rows, int64_t first,
                          int64_t last) {
    constexpr int64_t side = square<T>();
    T* const start = turned - first * lanes;
    int64_t x = first;
    if (rows == lanes) {
        for (; x + side <= last; x += side) {
            for (int64_t i = 0; i < lanes; i += side)
                turn_square(start + x * lanes + i, lanes, row + i * step + x, step);
        }
    }
    for (; x < last; ++x) {
        for (int64_t i = 0; i < rows; ++i) start[x * lanes + i] = row[i * step + x];
    }
    return start;
}

// Turns cells back to where they belong, whole lines by non-temporal stores if it may.
template <class T>
[[gnu::noinline]] void turn_back(T* row, const T* turned, int64_t step, int64_t rows,
                                 int64_t first, int64_t last, bool may_stream) {
    constexpr int64_t side = square<T>(), line = 64 / sizeof(T);
    const auto cells = [&](int64_t from, int64_t to) {
        for (int64_t x = from; x < to; ++x) {
            for (int64_t i = 0; i < rows; ++i) row[i * step + x] = turned[x * lanes + i];
        }
    };
    if (rows != lanes) return cells(first, last);
    const int64_t start = lesser((first + line - 1) & -line, last);
    const int64_t end = greater(last & -line, start);
    cells(first, start);
    for (int64_t x = start; x < end; x += line) {
        for (int64_t i = 0; i < lanes; i += side) {
            alignas(64) T lines[side][line];
            for (int64_t part = 0; part < line; part += side)
                turn_square(&lines[0][part], line, turned + (x + part) * lanes + i, lanes);
            for (int64_t j = 0; j < side; ++j) {
                T* const to = row + (i + j) * step + x;
                if (may_stream) {
                    store_line(to, lines[j]);
                } else {
                    __builtin_memcpy(to, lines[j], 64);
                }
            }
        }
    }
    cells(end, last);
}

// The same for what each row has one of. In the function that calls, it stays in registers.
template <class T>
inline void take_each(T* turned, const T* row, int64_t step, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) turned[i] = row[i * step];
}

template <class T>
inline void return_each(T* row, const T* turned, int64_t step, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) row[i * step] = turned[i];
}

}  // namespace

"""
