// The hand-written yardstick: what this machine's memory gives to loops with the traffic of D3Q19.
//
// Each loop moves 19 streams of doubles (or 1), is repeated, verified, and printed as one JSON object:
// bytes read plus bytes written per second, as minimum, median and maximum over the repetitions.
// Usage: yardstick CELLS REPETITIONS [huge-pages 0|1] [padding in cache lines]

#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int streams = 19;
constexpr std::int64_t line = 8;  // doubles in a cache line

struct Memory {
    double* source;
    double* target;
    std::int64_t cells;
    std::int64_t stride;
};

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

template <int count>
void copy_past_cache(const Memory& m) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < m.cells; i += line)
            for (int s = 0; s < count; ++s)
                store_past_cache(m.target + s * m.stride + i, m.source + s * m.stride + i);
        _mm_sfence();
    }
}

// As generated code does it: gather a chunk of all streams in the nearest cache, then write each.
template <int count>
void copy_through_rows(const Memory& m) {
    constexpr std::int64_t chunk = 64;
#pragma omp parallel
    {
        alignas(64) double row[count][chunk];
#pragma omp for schedule(static)
        for (std::int64_t start = 0; start < m.cells; start += chunk) {
            for (int s = 0; s < count; ++s)
                std::memcpy(row[s], m.source + s * m.stride + start, sizeof row[s]);
            for (int s = 0; s < count; ++s)
                for (std::int64_t i = 0; i < chunk; i += line)
                    store_past_cache(m.target + s * m.stride + start + i, row[s] + i);
        }
        _mm_sfence();
    }
}

template <int count>
void copy_plain(const Memory& m) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < m.cells; i += line)
        for (int s = 0; s < count; ++s) {
            const double* __restrict from = m.source + s * m.stride + i;
            double* __restrict to = m.target + s * m.stride + i;
#pragma omp simd
            for (int lane = 0; lane < line; ++lane) to[lane] = from[lane];
        }
}

template <int count>
void update_in_place(const Memory& m) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < m.cells; i += line)
        for (int s = 0; s < count; ++s) {
            double* at = m.target + s * m.stride + i;
#pragma omp simd
            for (int lane = 0; lane < line; ++lane) at[lane] = at[lane] * 0.5 + 1.0;
        }
}

void fill(const Memory& m) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < m.cells; i += line)
        for (int s = 0; s < streams; ++s)
            for (int lane = 0; lane < line; ++lane) {
                m.source[s * m.stride + i + lane] = static_cast<double>((i + lane) % 1021 + s);
                m.target[s * m.stride + i + lane] = 0.0;
            }
}

bool holds_copy(const Memory& m, int count) {
    for (int s = 0; s < count; ++s)
        if (std::memcmp(m.source + s * m.stride, m.target + s * m.stride, 8 * m.cells) != 0)
            return false;
    return true;
}

// After k updates x -> x/2 + 1 the distance from the fixed point 2 is halved k times, exactly for
// these small integers as long as the mantissa holds all bits.
bool holds_update(const Memory& m, int times) {
    for (int s = 0; s < streams; ++s)
        for (std::int64_t i = 0; i < m.cells; ++i) {
            double expected = m.source[s * m.stride + i];
            for (int k = 0; k < times; ++k) expected = expected * 0.5 + 1.0;
            if (m.target[s * m.stride + i] != expected) return false;
        }
    return true;
}

template <class Loop>
std::vector<double> rates(const Memory& m, int count, int repetitions, Loop loop) {
    loop(m);  // the first touches pages and starts threads
    std::vector<double> result;
    for (int r = 0; r < repetitions; ++r) {
        const auto start = std::chrono::steady_clock::now();
        loop(m);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        result.push_back(16.0 * count * static_cast<double>(m.cells) / time.count() * 1e-9);
    }
    std::sort(result.begin(), result.end());
    return result;
}

void print(const char* name, const std::vector<double>& sorted, bool is_right, const char* after) {
    std::printf("  \"%s\": {\"min\": %.2f, \"median\": %.2f, \"max\": %.2f, \"verified\": %s}%s\n",
                name, sorted.front(), sorted[sorted.size() / 2], sorted.back(),
                is_right ? "true" : "false", after);
}

template <class Loop>
void copy(const char* name, const Memory& m, int count, int repetitions, Loop loop) {
    std::memset(m.target, 0, 64);
    const auto sorted = rates(m, count, repetitions, loop);
    print(name, sorted, holds_copy(m, count), ",");
}

double* allocate(std::int64_t bytes, bool huge) {
    constexpr std::int64_t page = 2 << 20;
    const auto size = static_cast<std::size_t>((bytes + page - 1) / page * page);
    void* memory = std::aligned_alloc(page, size);
    if (memory == nullptr) std::exit((std::fprintf(stderr, "out of memory\n"), 1));
    madvise(memory, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return static_cast<double*>(memory);
}

}  // namespace

int main(int argc, char** argv) {
    const std::int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 128 * 128 * 128;
    const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 7;
    const bool huge = argc <= 3 || std::atoi(argv[3]) != 0;
    const std::int64_t padding = argc > 4 ? std::atoll(argv[4]) : 5;
    const std::int64_t cells = std::max<std::int64_t>(1, wanted / 64) * 64;
    const std::int64_t stride = cells + padding * line;
    const Memory m{allocate(8 * streams * stride, huge), allocate(8 * streams * stride, huge), cells,
                   stride};
    fill(m);
    std::printf("{\n  \"unit\": \"GB/s, bytes read + bytes written\",\n  \"cells\": %lld,\n",
                static_cast<long long>(cells));
    std::printf("  \"bytes\": %lld,\n  \"threads\": %d,\n  \"huge_pages\": %s,\n",
                static_cast<long long>(16 * streams * cells), omp_get_max_threads(),
                huge ? "true" : "false");
    std::printf("  \"padding_lines\": %lld,\n", static_cast<long long>(padding));
    copy("copy_19_streamed", m, streams, repetitions, copy_past_cache<streams>);
    copy("copy_19_streamed_by_rows", m, streams, repetitions, copy_through_rows<streams>);
    copy("copy_19_plain", m, streams, repetitions, copy_plain<streams>);
    copy("copy_1_streamed", m, 1, repetitions, copy_past_cache<1>);
    copy("copy_1_plain", m, 1, repetitions, copy_plain<1>);
    copy_plain<streams>(m);
    const auto sorted = rates(m, streams, repetitions, update_in_place<streams>);
    print("update_19_in_place", sorted, holds_update(m, repetitions + 1), "");
    std::printf("}\n");
    std::free(m.source);
    std::free(m.target);
    return 0;
}
