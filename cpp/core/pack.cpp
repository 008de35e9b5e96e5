#include "core/pack.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

#include "core/threads.hpp"
#include "pgas/align.hpp"

namespace halocline {
namespace {

/// Rows shorter than this are copied value by value: a call of memcpy would cost more.
constexpr std::int64_t short_row = 8;
/// How far ahead single values are fetched. Measured with 4 to 64: from 32 on a tenth faster
/// than 8.
constexpr std::int64_t rows_ahead = 32;

/// Copies one value; the constant size becomes a single move.
template <std::size_t size>
void copy_value(const std::byte* source, std::byte* target) {
    std::memcpy(target, source, size);
}

/// Copies `ny` rows of a plane.
template <std::size_t size>
void copy_plane(const Rows& source, const Rows& target, std::int64_t nx, std::int64_t ny) {
    const std::byte* from = source.first;
    std::byte* to = target.first;
    constexpr auto step = static_cast<std::int64_t>(size);
    const bool is_dense = source.x == step && target.x == step;
    if (nx == 1) {
        for (std::int64_t y = 0; y < ny; ++y) {
            // Each value lies in a cache line of its own, which the processor does not foresee.
            __builtin_prefetch(from + (y + rows_ahead) * source.y);
            __builtin_prefetch(to + (y + rows_ahead) * target.y, 1);
            copy_value<size>(from + y * source.y, to + y * target.y);
        }
    } else if (nx < short_row || !is_dense) {
        for (std::int64_t y = 0; y < ny; ++y) {
            for (std::int64_t x = 0; x < nx; ++x) {
                copy_value<size>(from + y * source.y + x * source.x,
                                 to + y * target.y + x * target.x);
            }
        }
    } else {
        for (std::int64_t y = 0; y < ny; ++y) {
            std::memcpy(to + y * target.y, from + y * source.y,
                        static_cast<std::size_t>(nx * step));
        }
    }
}

/// Copies the rows [first, last) of the box, counted through all planes.
template <std::size_t size>
void copy_range(const Rows& source, const Rows& target, const Index3& extent, std::int64_t first,
                std::int64_t last) {
    while (first < last) {
        const std::int64_t z = first / extent[1];
        const std::int64_t y = first % extent[1];
        const std::int64_t count = std::min(extent[1] - y, last - first);
        copy_plane<size>(from_row(source, y, z), from_row(target, y, z), extent[0], count);
        first += count;
    }
}

template <std::size_t size>
void copy_box(const Rows& source, const Rows& target, const Index3& extent, int threads) {
    const std::int64_t rows = extent[1] * extent[2];
    const std::int64_t row_bytes = extent[0] * static_cast<std::int64_t>(size);
    // Read and written.
    const int used = threads_for(2 * rows * std::max(line_bytes, row_bytes), threads);
    if (used == 1) return copy_range<size>(source, target, extent, 0, rows);
#pragma omp parallel num_threads(used)
    {
        const std::int64_t count = omp_get_num_threads();
        const std::int64_t me = omp_get_thread_num();
        copy_range<size>(source, target, extent, rows * me / count, rows * (me + 1) / count);
    }
}

}  // namespace

Rows from_row(const Rows& rows, std::int64_t y, std::int64_t z) {
    return {rows.first + y * rows.y + z * rows.z, rows.x, rows.y, rows.z};
}

Rows rows_of(const halocline_field& view, std::int64_t element_size, int component,
             const Index3& lower) {
    const std::int64_t offset =
        component * view.component + lower[0] * view.x + lower[1] * view.y + lower[2] * view.z;
    return {static_cast<std::byte*>(view.data) + offset * element_size, view.x * element_size,
            view.y * element_size, view.z * element_size};
}

Rows rows_of(std::byte* buffer, std::int64_t element_size, const Index3& extent) {
    return {buffer, element_size, extent[0] * element_size, extent[0] * extent[1] * element_size};
}

void copy_rows(const Rows& source, const Rows& target, const Index3& extent,
               std::int64_t element_size, int threads) {
    if (extent[0] <= 0 || extent[1] <= 0 || extent[2] <= 0) return;
    switch (element_size) {
        case 8:
            return copy_box<8>(source, target, extent, threads);
        case 4:
            return copy_box<4>(source, target, extent, threads);
        case 2:
            return copy_box<2>(source, target, extent, threads);
        default:
            return copy_box<1>(source, target, extent, threads);
    }
}

}  // namespace halocline
