// The hand-written baseline of D2Q9: one loop that pulls and collides (BGK), in a periodic box.
//
// The arithmetic is that of 'collide_stream' with 'bgk', operation by operation, so that the
// numbers are the same. Rows close on themselves through a cell beyond either end, which each row
// writes itself; columns close by the choice of the row that is read.

#include <kernel_abi.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

extern "C" {
extern const std::int32_t halocline_abi;
const std::int32_t halocline_abi = HALOCLINE_ABI;
}

namespace {

constexpr int populations = 9;
constexpr std::int64_t line = 64;
constexpr std::int64_t page = std::int64_t{2} << 20;
constexpr int moving_in_x[] = {1, 2, 5, 6, 7, 8};

// All populations before or after a step; each row begins on a cache line, after one for the cell
// before it, and populations lie an odd number of lines apart, so that they use other cache sets.
template <class T>
struct Lattice {
    static constexpr std::int64_t in_line = line / static_cast<std::int64_t>(sizeof(T));
    std::int64_t nx, ny;
    std::int64_t pitch = (nx / in_line + 3) * in_line;
    std::int64_t stride = pitch * ny + 5 * in_line;
    T* values = nullptr;

    bool allocate() {
        const std::int64_t bytes = populations * stride * static_cast<std::int64_t>(sizeof(T));
        const auto size = static_cast<std::size_t>((bytes + page - 1) / page * page);
        values = static_cast<T*>(std::aligned_alloc(static_cast<std::size_t>(page), size));
        if (values != nullptr) madvise(values, size, MADV_HUGEPAGE);
        return values != nullptr;
    }
    T* row(int population, std::int64_t y) const {
        return values + population * stride + y * pitch + in_line;
    }
    void close(int population, std::int64_t y) const {
        T* const cells = row(population, y);
        cells[-1] = cells[nx - 1];
        cells[nx] = cells[0];
    }
};

// Velocities: 0 rest, then pairs of opposites: (1, 0), (0, 1), (1, 1), (1, -1).
template <class T>
void step_row(const Lattice<T>& before, const Lattice<T>& after, std::int64_t y, T omega) {
    const std::int64_t below = (y == 0 ? before.ny : y) - 1;
    const std::int64_t above = y + 1 == before.ny ? 0 : y + 1;
    const T* const f0 = before.row(0, y);
    const T* const f1 = before.row(1, y) - 1;
    const T* const f2 = before.row(2, y) + 1;
    const T* const f3 = before.row(3, below);
    const T* const f4 = before.row(4, above);
    const T* const f5 = before.row(5, below) - 1;
    const T* const f6 = before.row(6, above) + 1;
    const T* const f7 = before.row(7, above) - 1;
    const T* const f8 = before.row(8, below) + 1;
    T* const g0 = after.row(0, y);
    T* const g1 = after.row(1, y);
    T* const g2 = after.row(2, y);
    T* const g3 = after.row(3, y);
    T* const g4 = after.row(4, y);
    T* const g5 = after.row(5, y);
    T* const g6 = after.row(6, y);
    T* const g7 = after.row(7, y);
    T* const g8 = after.row(8, y);
    const T keep = T(1) - omega;
    const T rest = T(4.0 / 9.0) * omega;
    const T straight = T(1.0 / 9.0) * omega;
    const T diagonal = T(1.0 / 36.0) * omega;
#pragma omp simd
    for (std::int64_t x = 0; x < before.nx; ++x) {
        const T excess =
            f0[x] + (f1[x] + f2[x]) + (f3[x] + f4[x]) + (f5[x] + f6[x]) + (f7[x] + f8[x]);
        const T rising = f5[x] - f6[x];
        const T falling = f7[x] - f8[x];
        const T three_jx = T(3) * (f1[x] - f2[x] + rising + falling);
        const T three_jy = T(3) * (f3[x] - f4[x] + rising - falling);
        const T inverse_density = T(1) / (T(1) + excess);
        const T three_ux = three_jx * inverse_density;
        const T three_uy = three_jy * inverse_density;
        const T base = excess - (three_jx * three_ux + three_jy * three_uy) * T(1.0 / 6.0);
        const T even_x = straight * (base + T(0.5) * (three_ux * three_jx));
        const T even_y = straight * (base + T(0.5) * (three_uy * three_jy));
        const T along_rising = three_jx + three_jy;
        const T along_falling = three_jx - three_jy;
        const T even_rising = diagonal * (base + T(0.5) * ((three_ux + three_uy) * along_rising));
        const T even_falling = diagonal * (base + T(0.5) * ((three_ux - three_uy) * along_falling));
        g0[x] = keep * f0[x] + rest * base;
        g1[x] = keep * f1[x] + (even_x + straight * three_jx);
        g2[x] = keep * f2[x] + (even_x - straight * three_jx);
        g3[x] = keep * f3[x] + (even_y + straight * three_jy);
        g4[x] = keep * f4[x] + (even_y - straight * three_jy);
        g5[x] = keep * f5[x] + (even_rising + diagonal * along_rising);
        g6[x] = keep * f6[x] + (even_rising - diagonal * along_rising);
        g7[x] = keep * f7[x] + (even_falling + diagonal * along_falling);
        g8[x] = keep * f8[x] + (even_falling - diagonal * along_falling);
    }
    for (const int population : moving_in_x) after.close(population, y);
}

template <class T>
class Box {
public:
    Box(std::int64_t nx, std::int64_t ny, int threads)
        : before_{nx, ny}, after_{nx, ny}, threads_(threads) {}
    ~Box() {
        std::free(before_.values);
        std::free(after_.values);
    }
    bool allocate() { return before_.allocate() && after_.allocate(); }

    void set(const T* values) {
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t y = 0; y < before_.ny; ++y)
            for (int i = 0; i < populations; ++i) {
                // Touched by the thread that will compute it.
                std::memset(after_.row(i, y), 0, row_size());
                std::memcpy(before_.row(i, y), values + (i * before_.ny + y) * before_.nx,
                            row_size());
                before_.close(i, y);
            }
    }
    void get(T* values) const {
        for (int i = 0; i < populations; ++i)
            for (std::int64_t y = 0; y < before_.ny; ++y)
                std::memcpy(values + (i * before_.ny + y) * before_.nx, before_.row(i, y),
                            row_size());
    }
    void run(T omega, std::int64_t steps) {
        for (std::int64_t step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(static) num_threads(threads_)
            for (std::int64_t y = 0; y < before_.ny; ++y) step_row(before_, after_, y, omega);
            std::swap(before_.values, after_.values);
        }
    }

private:
    std::size_t row_size() const {
        return static_cast<std::size_t>(before_.nx) * sizeof(T);
    }

    Lattice<T> before_, after_;
    int threads_;
};

template <class T>
void* make(std::int64_t nx, std::int64_t ny, int threads) {
    auto* box = new Box<T>(nx, ny, threads);
    if (box->allocate()) return box;
    delete box;
    return nullptr;
}

template <class T>
double seconds(void* box, double omega, std::int64_t steps) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    static_cast<Box<T>*>(box)->run(static_cast<T>(omega), steps);
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

extern "C" {

// A box of nx x ny cells with populations of 8 or 4 bytes; null if there is not enough memory.
void* d2q9_make(int bytes, std::int64_t nx, std::int64_t ny, int threads) {
    return bytes == 8 ? make<double>(nx, ny, threads) : make<float>(nx, ny, threads);
}

// Values: populations one after the other, each row by row.
void d2q9_set(void* box, int bytes, const void* values) {
    if (bytes == 8)
        static_cast<Box<double>*>(box)->set(static_cast<const double*>(values));
    else
        static_cast<Box<float>*>(box)->set(static_cast<const float*>(values));
}

void d2q9_get(const void* box, int bytes, void* values) {
    if (bytes == 8)
        static_cast<const Box<double>*>(box)->get(static_cast<double*>(values));
    else
        static_cast<const Box<float>*>(box)->get(static_cast<float*>(values));
}

// Seconds for so many steps.
double d2q9_run(void* box, int bytes, double omega, std::int64_t steps) {
    return bytes == 8 ? seconds<double>(box, omega, steps) : seconds<float>(box, omega, steps);
}

void d2q9_free(void* box, int bytes) {
    if (bytes == 8)
        delete static_cast<Box<double>*>(box);
    else
        delete static_cast<Box<float>*>(box);
}
}
