// The loops of conjugate gradients and of BiCGSTAB as one would write them by hand for one machine:
// a pass over memory each, with everything that can be computed in it; what is reduced is added up
// in vectors as it comes, rounded each time. Rows are aligned and padded, fields begin in different
// lines of a page, memory has large pages. For limits: loops that do nothing but move as much.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int64_t n = 256, row = n + 16, plane = row * (n + 2), fields = 7;
double* cells[fields];
double sums[4];

typedef double Line __attribute__((vector_size(64)));
typedef double Loose __attribute__((vector_size(64), aligned(8)));

inline Line at(const double* from) { return *reinterpret_cast<const Loose*>(from); }
inline void put(double* to, Line value) { *reinterpret_cast<Line*>(to) = value; }
inline void past(double* to, Line value) {
#if defined(__AVX512F__)
    __builtin_ia32_movntpd512(to, value);
#else
    put(to, value);
#endif
}
inline double total(Line value) {
    double all = 0;
    for (int i = 0; i < 8; ++i) all += value[i];
    return all;
}

// Calls 'work' for each row, then for eight cells after the other; returns the sum of what it gives.
template <typename Work>
void each(int threads, const Work& work) {
    double first = 0, second = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : first, second)
    for (int64_t z = 0; z < n; ++z) {
        Line a{}, b{};
        for (int64_t y = 0; y < n; ++y) {
            const int64_t begin = y * row + z * plane;
            for (int64_t x = begin; x < begin + n; x += 8) work(x, a, b);
        }
        first += total(a), second += total(b);
        __builtin_ia32_sfence();
    }
    sums[0] = first, sums[1] = second;
}

inline Line laplace(const double* p, int64_t x) {
    // The only row that comes from memory: it is fetched a row ahead.
    __builtin_prefetch(p + x + plane + row);
    const Line here = at(p + x);
    return 6.5 * here - (at(p + x + 1) + at(p + x - 1) + at(p + x + row) + at(p + x - row) +
                         at(p + x + plane) + at(p + x - plane));
}

}  // namespace

extern "C" {

void prepare() {
    for (int64_t f = 0; f < fields; ++f) {
        const int64_t huge = 1 << 21;
        const int64_t bytes = ((plane * (n + 2) + 64 * 64) * 8 + huge - 1) / huge * huge;
        void* const memory = std::aligned_alloc(huge, bytes);
        madvise(memory, bytes, MADV_HUGEPAGE);
        std::memset(memory, 0, bytes);
        cells[f] = static_cast<double*>(memory) + 27 * 8 * f % 512 + plane + row + 8;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j)
                for (int64_t k = 0; k < n; ++k)
                    cells[f][k + j * row + i * plane] = ((f + 3 * i + 5 * j + 7 * k) % 31) / 31.0;
    }
}

double sum(int number) { return sums[number]; }

void copy(int threads) {
    const double* r = cells[1];
    double* q = cells[3];
    each(threads, [=](int64_t x, Line&, Line&) { past(q + x, at(r + x)); });
}
void read(int threads) {
    const double* r = cells[1];
    each(threads, [=](int64_t x, Line& a, Line&) { a += at(r + x); });
}
// q = A p and p q.
void apply(int threads) {
    const double* p = cells[2];
    double* q = cells[3];
    each(threads, [=](int64_t x, Line& a, Line&) {
        const Line value = laplace(p, x);
        past(q + x, value);
        a += value * at(p + x);
    });
}
// x and r, and r r.
void step(int threads) {
    double *x = cells[0], *r = cells[1];
    const double *p = cells[2], *q = cells[3];
    each(threads, [=](int64_t i, Line& a, Line&) {
        put(x + i, at(x + i) + 1e-9 * at(p + i));
        const Line left = at(r + i) - 1e-9 * at(q + i);
        put(r + i, left);
        a += left * left;
    });
}
// The same without the sum.
void step_only(int threads) {
    double *x = cells[0], *r = cells[1];
    const double *p = cells[2], *q = cells[3];
    each(threads, [=](int64_t i, Line&, Line&) {
        put(x + i, at(x + i) + 1e-9 * at(p + i));
        put(r + i, at(r + i) - 1e-9 * at(q + i));
    });
}
void direction(int threads) {
    const double* r = cells[1];
    double* p = cells[2];
    each(threads, [=](int64_t i, Line&, Line&) { put(p + i, at(r + i) + 1e-9 * at(p + i)); });
}
// BiCGSTAB: v = A p and first v; r; t = A r, t r and t t; x, r, r r and first r; p.
void apply_first(int threads) {
    const double *p = cells[2], *first = cells[4];
    double* v = cells[3];
    each(threads, [=](int64_t x, Line& a, Line&) {
        const Line value = laplace(p, x);
        past(v + x, value);
        a += value * at(first + x);
    });
}
void subtract(int threads) {
    double* r = cells[1];
    const double* v = cells[3];
    each(threads, [=](int64_t i, Line&, Line&) { put(r + i, at(r + i) - 1e-9 * at(v + i)); });
}
void apply_twice(int threads) {
    const double* r = cells[1];
    double* t = cells[5];
    each(threads, [=](int64_t x, Line& a, Line& b) {
        const Line value = laplace(r, x);
        past(t + x, value);
        a += value * at(r + x);
        b += value * value;
    });
}
void two_steps(int threads) {
    double *x = cells[0], *r = cells[1];
    const double *p = cells[2], *t = cells[5], *first = cells[4];
    each(threads, [=](int64_t i, Line& a, Line& b) {
        const Line before = at(r + i);
        put(x + i, at(x + i) + 1e-9 * at(p + i) + 1e-9 * before);
        const Line left = before - 1e-9 * at(t + i);
        put(r + i, left);
        a += left * left;
        b += left * at(first + i);
    });
}
void renewed(int threads) {
    double* p = cells[2];
    const double *r = cells[1], *v = cells[3];
    each(threads, [=](int64_t i, Line&, Line&) {
        put(p + i, at(r + i) + 1e-9 * (at(p + i) - 1e-9 * at(v + i)));
    });
}
}
