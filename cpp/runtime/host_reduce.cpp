#include "runtime/host_reduce.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "pgas/align.hpp"

namespace halocline {
namespace {

constexpr std::int64_t piece_values = 1024;
/// From this many doubles on, copying a row costs more than a piece of its own.
constexpr std::int64_t long_row = 256;

/// Collects the values of rows as doubles and hands them to `work` many at a time.
template <typename Work>
class Pieces {
public:
    explicit Pieces(const Work& work) : work_(work) {}

    /// Adds values that are `stride` elements apart.
    template <typename T>
    void add(const T* row, std::int64_t stride, std::int64_t count) {
        if constexpr (std::is_same_v<T, double>) {
            if (stride == 1 && count >= long_row)
                return work_({row, static_cast<std::size_t>(count)});
        }
        add_as(row, stride, count, [](T value) { return static_cast<double>(value); });
    }

    /// Adds integers that a double may not hold as their two halves, whose sum they are.
    template <typename T>
    void add_exactly(const T* row, std::int64_t stride, std::int64_t count) {
        if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(double)) {
            add_as(row, stride, count, [](T value) {
                return static_cast<double>(static_cast<std::uint64_t>(value) & 0xFFFFFFFF);
            });
            add_as(row, stride, count,
                   [](T value) { return 0x1p32 * static_cast<double>(value >> 32); });
        } else {
            add(row, stride, count);
        }
    }

    void flush() {
        work_({piece_.data(), static_cast<std::size_t>(held_)});
        held_ = 0;
    }

private:
    /// Adds each value as what a function makes of it.
    template <typename T, typename Function>
    void add_as(const T* row, std::int64_t stride, std::int64_t count, const Function& function) {
        while (count > 0) {
            const std::int64_t n = std::min(count, piece_values - held_);
            double* const piece = piece_.data() + held_;
            for (std::int64_t i = 0; i < n; ++i) piece[i] = function(row[i * stride]);
            row += n * stride;
            count -= n;
            held_ += n;
            if (held_ == piece_values) flush();
        }
    }

    const Work& work_;
    std::int64_t held_ = 0;
    alignas(line_bytes) std::array<double, piece_values> piece_;
};

/// The first cell of a row of a box; rows are counted through all planes, then again.
Index3 start_of(const Box& box, std::int64_t row) {
    const Index3 n = box.extent();
    return {box.lower[0], box.lower[1] + row % n[1], box.lower[2] + row / n[1] % n[2]};
}

template <typename T>
const T* address_of(const halocline_field& view, std::int64_t component, const Index3& cell) {
    return static_cast<const T*>(view.data) + component * view.component + cell[0] * view.x +
           cell[1] * view.y + cell[2] * view.z;
}

/// Takes the rows [first, last) of a box, counted through all planes.
void take_rows(const State& state, const program::Reduce& reduce, const LocalBox& local,
               std::int64_t first, std::int64_t last, Partial& partial) {
    const halocline_field& view = state.view(reduce.slot, local.block);
    const Box& box = local.box;
    const std::int64_t nx = box.extent()[0];
    const auto take = [&](std::span<const double> values) {
        if (reduce.reduction == plan::Reduction::sum)
            partial.sum.add(values);
        else
            partial.extremes.take(values);
    };
    with_type(state.field(reduce.slot).type, [&]<typename T>(T) {
        Pieces pieces(take);
        for (std::int64_t row = first; row < last; ++row) {
            const T* const values = address_of<T>(view, reduce.component, start_of(box, row));
            if (reduce.reduction == plan::Reduction::sum)
                pieces.add_exactly(values, view.x, nx);
            else
                pieces.add(values, view.x, nx);
        }
        pieces.flush();
    });
}

/// What values are compared with limits as.
template <typename T>
using Compared = std::conditional_t<std::is_floating_point_v<T>, T, double>;

template <typename T>
bool is_outlier(T value, Compared<T> low, Compared<T> high) {
    const auto compared = static_cast<Compared<T>>(value);
    // Written so that what is not a number is one.
    return !(compared >= low && compared <= high);
}

template <typename T>
bool has_outlier(const T* row, std::int64_t stride, std::int64_t count, Compared<T> low,
                 Compared<T> high) {
    const auto any = [&](auto step) {
        // Counted in the type that is compared: only then compilers make vectors.
        Compared<T> found = 0;
        for (std::int64_t x = 0; x < count; ++x) {
            found += is_outlier(row[x * step], low, high) ? Compared<T>{1} : Compared<T>{0};
        }
        return found != 0;
    };
    // Of neighbours in memory compilers make vectors if they know.
    return stride == 1 ? any(std::integral_constant<std::int64_t, 1>{}) : any(stride);
}

/// Whether a mask is true in a cell of the domain on a block; a mask without an axis has one cell
/// along it.
bool is_in_mask(const State& state, int mask, int block, const Index3& cell) {
    const Box& box = state.block(mask, block).box;
    Index3 local = cell - box.lower;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (box.extent()[axis] == 1) local[axis] = 0;
    }
    return with_type(state.field(mask).type, [&]<typename T>(T zero) {
        return *address_of<T>(state.view(mask, block), 0, local) != zero;
    });
}

/// Whether a check looks at a cell of the domain on a block.
bool is_searched(const State& state, const program::Check& check, int block, const Index3& cell) {
    return check.assigned.empty() ||
           std::ranges::any_of(check.assigned, [&](const plan::Assigned& cells) {
               return cells.box.contains(cell) &&
                      (cells.mask < 0 || is_in_mask(state, cells.mask, block, cell));
           });
}

/// Searches the rows [first, last) of a box, counted through all planes of all components.
template <typename T>
Outlier outlier_in_rows(const State& state, const program::Check& check, const LocalBox& local,
                        std::int64_t first, std::int64_t last) {
    const halocline_field& view = state.view(check.slot, local.block);
    const Index3 origin = state.block(check.slot, local.block).box.lower;
    const Box& box = local.box;
    const Index3 n = box.extent();
    const auto low = static_cast<Compared<T>>(check.low);
    const auto high = static_cast<Compared<T>>(check.high);
    Outlier found;
    for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t component = i / (n[1] * n[2]);
        const Index3 start = start_of(box, i);
        const T* const values = address_of<T>(view, component, start);
        if (!has_outlier(values, view.x, n[0], low, high)) continue;
        for (std::int64_t x = 0; x < n[0]; ++x) {
            const T value = values[x * view.x];
            const Index3 cell = start + origin + Index3{x, 0, 0};
            if (!is_outlier(value, low, high)) continue;
            if (!is_searched(state, check, local.block, cell)) continue;
            found = std::min(
                found, Outlier{{cell[2], cell[1], cell[0], component}, static_cast<double>(value)});
            break;
        }
    }
    return found;
}

/// Lets threads share rows: work(first, last, thread) does those of [first, last).
template <typename Work>
void share_rows(std::int64_t rows, int threads, const Work& work) {
    if (threads == 1) return work(0, rows, 0);
#pragma omp parallel num_threads(threads)
    {
        const std::int64_t count = omp_get_num_threads();
        const std::int64_t me = omp_get_thread_num();
        work(rows * me / count, rows * (me + 1) / count, me);
    }
}

}  // namespace

Partial reduce_on_host(const State& state, const program::Reduce& reduce,
                       std::span<Partial> partials) {
    std::ranges::fill(partials, Partial{});
    for (const LocalBox& local : reduce.boxes) {
        if (local.box.is_empty()) continue;
        const std::int64_t rows = local.box.extent()[1] * local.box.extent()[2];
        const std::int64_t bytes = local.box.cells() * size_of(state.field(reduce.slot).type);
        share_rows(rows, threads_for(bytes, state.memory.threads),
                   [&](std::int64_t first, std::int64_t last, std::int64_t thread) {
                       take_rows(state, reduce, local, first, last,
                                 partials[static_cast<std::size_t>(thread)]);
                   });
    }
    for (const Partial& other : partials.subspan(1)) partials[0].add(other);
    return partials[0];
}

Outlier first_outlier_on_host(const State& state, const program::Check& check) {
    const Field& field = state.field(check.slot);
    std::vector<Outlier> found(static_cast<std::size_t>(state.memory.threads));
    const auto search = [&]<typename T>(T, const LocalBox& local) {
        const std::int64_t rows = field.components * local.box.extent()[1] * local.box.extent()[2];
        const std::int64_t bytes = field.components * local.box.cells() * size_of(field.type);
        share_rows(rows, threads_for(bytes, state.memory.threads),
                   [&](std::int64_t first, std::int64_t last, std::int64_t thread) {
                       Outlier& mine = found[static_cast<std::size_t>(thread)];
                       mine = std::min(mine, outlier_in_rows<T>(state, check, local, first, last));
                   });
    };
    for (const LocalBox& local : check.boxes) {
        if (local.box.is_empty()) continue;
        with_type(field.type, [&](auto zero) { search(zero, local); });
    }
    return *std::ranges::min_element(found, {}, &Outlier::place);
}

}  // namespace halocline
