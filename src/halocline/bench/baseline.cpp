// The hand-written baseline: what this machine's memory gives to loops with the traffic of D3Q19,
// and to a plain copy between two processes.
//
// A loop moves 19 streams of doubles, or 1; each thread goes through its own cells again and again,
// held on a core of its own, and fetches what it will read as far ahead as is best.

#include <immintrin.h>
#include <kernel_abi.h>
#include <omp.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
extern const std::int32_t halocline_abi;
const std::int32_t halocline_abi = HALOCLINE_ABI;
}

namespace {

constexpr int streams = 19;
constexpr std::int64_t line = 8;         // doubles in a cache line
constexpr std::int64_t chunk = 64;       // cells that are copied through a row
constexpr std::int64_t padding = 5 * 8;  // between streams, so that they use other cache sets

struct Memory {
    double* source;
    double* target;
    std::int64_t cells;
    std::int64_t stride;
    int threads;
    int count;            // streams in use
    int first_core;       // of the cores that this process may use, the first thread's
    std::int64_t ahead;   // how far what is read is fetched ahead, in doubles; 0: not at all
    std::int64_t first(int thread) const { return cells / chunk * thread / threads * chunk; }
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void store_past_cache(double* to, const double* from) {
#if defined(__AVX512F__)
    _mm512_stream_pd(to, _mm512_loadu_pd(from));
#elif defined(__AVX__)
    _mm256_stream_pd(to, _mm256_loadu_pd(from));
    _mm256_stream_pd(to + 4, _mm256_loadu_pd(from + 4));
#else
    for (int i = 0; i < line; i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
#endif
}

// Fetches the line that is to be read so far ahead into the second-level cache.
void fetch(const Memory& m, const double* from) {
    if (m.ahead > 0) _mm_prefetch(reinterpret_cast<const char*>(from + m.ahead), _MM_HINT_T1);
}

template <int count>
void copy_past_cache(const Memory& m, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; i += line)
        for (int s = 0; s < count; ++s) {
            fetch(m, m.source + s * m.stride + i);
            store_past_cache(m.target + s * m.stride + i, m.source + s * m.stride + i);
        }
    _mm_sfence();
}

// As generated code does it: gather a chunk of all streams in the nearest cache, then write each.
template <int count>
void copy_through_rows(const Memory& m, std::int64_t first, std::int64_t last) {
    alignas(64) double row[count][chunk];
    for (std::int64_t start = first; start < last; start += chunk) {
        for (int s = 0; s < count; ++s)
            std::memcpy(row[s], m.source + s * m.stride + start, sizeof row[s]);
        for (int s = 0; s < count; ++s)
            for (std::int64_t i = 0; i < chunk; i += line) {
                fetch(m, m.source + s * m.stride + start + i);
                store_past_cache(m.target + s * m.stride + start + i, row[s] + i);
            }
    }
    _mm_sfence();
}

template <int count>
void copy_plain(const Memory& m, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; i += line)
        for (int s = 0; s < count; ++s) {
            const double* __restrict from = m.source + s * m.stride + i;
            double* __restrict to = m.target + s * m.stride + i;
            fetch(m, from);
#pragma omp simd
            for (int lane = 0; lane < line; ++lane) to[lane] = from[lane];
        }
}

template <int count>
void update_in_place(const Memory& m, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; i += line)
        for (int s = 0; s < count; ++s) {
            double* at = m.target + s * m.stride + i;
            fetch(m, at);
#pragma omp simd
            for (int lane = 0; lane < line; ++lane) at[lane] = at[lane] * 0.5 + 1.0;
        }
}

using Loop = void (*)(const Memory&, std::int64_t, std::int64_t);

// In the order of LOOPS in baseline.py.
constexpr Loop loops[] = {copy_plain<1>,
                          copy_past_cache<1>,
                          copy_plain<streams>,
                          copy_past_cache<streams>,
                          copy_through_rows<streams>,
                          update_in_place<streams>};
constexpr int loop_streams[] = {1, 1, streams, streams, streams, streams};
constexpr int updating = 5;

// Holds a thread on one of the cores that it may use, until it goes out of scope.
class Held {
public:
    explicit Held(int core) {
        sched_getaffinity(0, sizeof before_, &before_);
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &before_) && core-- == 0) {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(cpu, &one);
                sched_setaffinity(0, sizeof one, &one);
            }
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_;
};

void fill(const Memory& m) {
#pragma omp parallel num_threads(m.threads)
    {
        const int thread = omp_get_thread_num();
        const Held held(m.first_core + thread);
        for (int s = 0; s < m.count; ++s)
            for (std::int64_t i = m.first(thread); i < m.first(thread + 1); ++i) {
                m.source[s * m.stride + i] = static_cast<double>(i % 1021 + s);
                m.target[s * m.stride + i] = 0.0;
            }
    }
}

bool holds_copy(const Memory& m) {
    for (int s = 0; s < m.count; ++s)
        if (std::memcmp(m.source + s * m.stride, m.target + s * m.stride,
                        8 * static_cast<std::size_t>(m.cells)) != 0)
            return false;
    return true;
}

// After k updates x -> x/2 + 1 of zero the distance from the fixed point 2 has been halved k times.
bool holds_update(const Memory& m, std::int64_t times) {
    double expected = 0.0;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(times, 100); ++k)
        expected = expected * 0.5 + 1.0;
    for (int s = 0; s < m.count; ++s)
        for (std::int64_t i = 0; i < m.cells; ++i)
            if (m.target[s * m.stride + i] != expected) return false;
    return true;
}

double* allocate(std::int64_t doubles) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t size = (8 * static_cast<std::size_t>(doubles) + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, size);
    if (memory != nullptr) madvise(memory, size, MADV_HUGEPAGE);
    return static_cast<double*>(memory);
}

// Counters of two processes, each in a cache line of its own, before the bytes of both.
struct Side {
    alignas(64) std::atomic<std::int64_t> ready;
    alignas(64) std::atomic<std::int64_t> done;
};

void meet(std::atomic<std::int64_t>& mine, const std::atomic<std::int64_t>& other, std::int64_t n) {
    mine.store(n, std::memory_order_release);
    // On a busy machine the other may be waiting for this very core.
    for (int spins = 0; other.load(std::memory_order_acquire) < n; ++spins) {
        if (spins < 1000)
            _mm_pause();
        else
            sched_yield();
    }
}

}  // namespace

extern "C" {

// Memory for a loop; null if there is not enough. Cells: a multiple of 64.
void* baseline_make(int loop, std::int64_t cells, int threads, int first_core) {
    const int count = loop_streams[loop];
    const std::int64_t stride = cells + padding;
    auto* m = new Memory{allocate(count * stride),
                         allocate(count * stride),
                         cells,
                         stride,
                         threads,
                         count,
                         first_core,
                         0};
    if (m->source == nullptr || m->target == nullptr) return nullptr;
    fill(*m);
    return m;
}

// Seconds for so many passes of all threads, which fetch so many doubles ahead.
double baseline_run(void* memory, int loop, std::int64_t passes, std::int64_t ahead) {
    Memory& m = *static_cast<Memory*>(memory);
    m.ahead = ahead;
    Clock::time_point start;
#pragma omp parallel num_threads(m.threads)
    {
        const int thread = omp_get_thread_num();
        const Held held(m.first_core + thread);
#pragma omp barrier
#pragma omp master
        start = Clock::now();
        for (std::int64_t pass = 0; pass < passes; ++pass) {
            loops[loop](m, m.first(thread), m.first(thread + 1));
            // The next pass writes the same: say that somebody has looked.
            asm volatile("" ::: "memory");
        }
    }
    return seconds_since(start);
}

// Whether the target holds what so many passes in all must have left there.
int baseline_check(void* memory, int loop, std::int64_t passes) {
    const Memory& m = *static_cast<Memory*>(memory);
    return loop == updating ? holds_update(m, passes) : holds_copy(m);
}

void baseline_free(void* memory) {
    auto* m = static_cast<Memory*>(memory);
    std::free(m->source);
    std::free(m->target);
    delete m;
}

// Bytes of shared memory that 'between' needs for 'words' of 8 bytes on each side.
std::int64_t between_size(std::int64_t words) {
    return 2 * static_cast<std::int64_t>(sizeof(Side)) + 16 * words;
}

// Two processes write their own words in shared memory, then copy those of the other.
//
// shared: zero at first; first: how often it was done before; target: this process's own memory;
// seconds: of the copies alone, and with the signals before and after them.
void between(void* shared, int rank, std::int64_t words, std::int64_t first, std::int64_t times,
             std::int64_t* target, double* seconds) {
    auto* sides = static_cast<Side*>(shared);
    auto* values = reinterpret_cast<std::int64_t*>(sides + 2);
    std::int64_t* mine = values + rank * words;
    const std::int64_t* theirs = values + (1 - rank) * words;
    seconds[0] = seconds[1] = 0.0;
    for (std::int64_t n = first + 1; n <= first + times; ++n) {
        for (std::int64_t i = 0; i < words; ++i) mine[i] = n * (rank + 1) + i;
        asm volatile("" ::: "memory");
        const Clock::time_point started = Clock::now();
        meet(sides[rank].ready, sides[1 - rank].ready, n);
        const Clock::time_point met = Clock::now();
        std::memcpy(target, theirs, 8 * static_cast<std::size_t>(words));
        asm volatile("" ::: "memory");
        seconds[0] += seconds_since(met);
        meet(sides[rank].done, sides[1 - rank].done, n);
        seconds[1] += seconds_since(started);
    }
}
}
