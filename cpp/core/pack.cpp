#include "core/pack.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "core/threads.hpp"
#include "pgas/align.hpp"

namespace halocline {
namespace {

/// Rows shorter than this are copied value by value: a call of memcpy would cost more.
constexpr std::int64_t short_row = 8;
/// How far ahead rows are fetched. Measured with 4 to 64: from 32 on a tenth faster than 8.
constexpr std::int64_t rows_ahead = 32;
/// Rows copied between two fetches.
constexpr std::int64_t rows_at_once = 8;
/// Lines fetched of a row: of longer ones the processor foresees the rest.
constexpr std::int64_t lines_fetched = 4;

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
        // Apart: in the loops below a step on levels (D3Q19, 16^3) takes an eighth longer.
        for (std::int64_t y = 0; y < ny; ++y) {
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

void copy_plane(const BoxCopy& box, std::int64_t y, std::int64_t z, std::int64_t count) {
    const Rows source = from_row(box.source, y, z);
    const Rows target = from_row(box.target, y, z);
    switch (box.element_size) {
        case 8:
            return copy_plane<8>(source, target, box.extent[0], count);
        case 4:
            return copy_plane<4>(source, target, box.extent[0], count);
        case 2:
            return copy_plane<2>(source, target, box.extent[0], count);
        default:
            return copy_plane<1>(source, target, box.extent[0], count);
    }
}

std::int64_t rows_in(const BoxCopy& box) {
    return box.extent[1] * box.extent[2];
}

/// What a row costs, in and out [bytes]: whole cache lines.
std::int64_t row_cost(const BoxCopy& box) {
    return 2 * std::max(line_bytes, box.extent[0] * box.element_size);
}

/// A place among the rows of a box, from a row on, counted through all planes.
struct Place {
    explicit Place(const BoxCopy& box, std::int64_t row = 0) {
        // Most boxes are small and begun with their first row: divisions would take longest.
        if (row > 0) z = row / box.extent[1], y = row % box.extent[1];
    }
    /// Moves on by so many rows of the plane.
    void advance(const BoxCopy& box, std::int64_t rows) {
        y += rows;
        if (y == box.extent[1]) y = 0, ++z;
    }
    std::int64_t y = 0;
    std::int64_t z = 0;
};

/// Brings rows to the cache, through planes and boxes in the order in which they are copied:
/// each lies in cache lines of its own, which the processor does not foresee.
class Ahead {
public:
    Ahead(std::span<const BoxCopy> boxes, std::int64_t row)
        : box_(boxes.data()), end_(boxes.data() + boxes.size()), place_(*box_, row) {}

    void fetch(std::int64_t rows) {
        while (rows > 0 && box_ != end_) {
            const std::int64_t count = std::min(rows, box_->extent[1] - place_.y);
            fetch_plane(count);
            rows -= count;
            place_.advance(*box_, count);
            if (place_.z < box_->extent[2]) continue;
            ++box_;
            if (box_ != end_) place_ = Place(*box_);
        }
    }

private:
    void fetch_plane(std::int64_t rows) const {
        const Rows source = from_row(box_->source, place_.y, place_.z);
        const Rows target = from_row(box_->target, place_.y, place_.z);
        const std::int64_t row_bytes = box_->extent[0] * box_->element_size;
        const std::int64_t bytes = std::min(row_bytes, lines_fetched * line_bytes);
        for (std::int64_t y = 0; y < rows; ++y) {
            for (std::int64_t x = 0; x < bytes; x += line_bytes) {
                __builtin_prefetch(source.first + y * source.y + x);
                __builtin_prefetch(target.first + y * target.y + x, 1);
            }
        }
    }

    const BoxCopy* box_;
    const BoxCopy* end_;
    Place place_;
};

/// Copies rows of a box, the first ones prefetched.
void copy_box(const BoxCopy& box, std::int64_t first, std::int64_t last, Ahead& ahead) {
    Place place(box, first);
    while (first < last) {
        const std::int64_t count = std::min({box.extent[1] - place.y, last - first, rows_at_once});
        ahead.fetch(count);
        copy_plane(box, place.y, place.z, count);
        place.advance(box, count);
        first += count;
    }
}

/// Copies what lies between two costs, counted through all boxes.
void copy_range(std::span<const BoxCopy> boxes, std::int64_t begin, std::int64_t end) {
    const auto rows_before = [](const BoxCopy& box, std::int64_t cost) {
        if (cost <= 0) return std::int64_t{0};
        if (cost >= rows_in(box) * row_cost(box)) return rows_in(box);
        return (cost + row_cost(box) - 1) / row_cost(box);
    };
    std::optional<Ahead> ahead;
    std::int64_t cost = 0;
    for (std::size_t n = 0; n < boxes.size() && cost < end; ++n) {
        const BoxCopy& box = boxes[n];
        const std::int64_t first = rows_before(box, begin - cost);
        const std::int64_t last = rows_before(box, end - cost);
        cost += rows_in(box) * row_cost(box);
        if (first == last) continue;
        if (!ahead) ahead.emplace(boxes.subspan(n), first).fetch(rows_ahead);
        copy_box(box, first, last, *ahead);
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

void copy_boxes(std::span<const BoxCopy> boxes, int threads) {
    if (threads == 1) return copy_range(boxes, 0, std::numeric_limits<std::int64_t>::max());
    std::int64_t cost = 0;
    for (const BoxCopy& box : boxes) cost += rows_in(box) * row_cost(box);
    const int used = threads_for(cost, threads);
#pragma omp parallel num_threads(used)
    {
        const std::int64_t count = omp_get_num_threads();
        const std::int64_t me = omp_get_thread_num();
        copy_range(boxes, cost / count * me, me + 1 == count ? cost : cost / count * (me + 1));
    }
}

}  // namespace halocline
