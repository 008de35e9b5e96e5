#include "runtime/host_reduce.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

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

/// Takes the rows [first, last) of a box, counted through all planes.
void take_rows(const State& state, const program::Reduce& reduce, const LocalBox& local,
               std::int64_t first, std::int64_t last, Partial& partial) {
    const halocline_field& view = state.view(reduce.slot, local.block);
    const Box& box = local.box;
    const Index3 n = box.extent();
    const auto take = [&](std::span<const double> values) {
        if (reduce.reduction == plan::Reduction::sum)
            partial.sum.add(values);
        else
            partial.extremes.take(values);
    };
    with_type(state.field(reduce.slot).type, [&]<typename T>(T) {
        const T* base = static_cast<const T*>(view.data) + reduce.component * view.component;
        Pieces pieces(take);
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t y = box.lower[1] + row % n[1];
            const std::int64_t z = box.lower[2] + row / n[1];
            const T* const values = base + box.lower[0] * view.x + y * view.y + z * view.z;
            if (reduce.reduction == plan::Reduction::sum)
                pieces.add_exactly(values, view.x, n[0]);
            else
                pieces.add(values, view.x, n[0]);
        }
        pieces.flush();
    });
}

template <typename T>
bool has_nan(const T* row, std::int64_t stride, std::int64_t count) {
    const auto any = [&](auto step) {
        int found = 0;
        for (std::int64_t x = 0; x < count; ++x) {
            const T value = row[x * step];
            found |= value != value ? 1 : 0;
        }
        return found != 0;
    };
    // Of neighbours in memory compilers make vectors if they know.
    return stride == 1 ? any(std::integral_constant<std::int64_t, 1>{}) : any(stride);
}

template <typename T>
void search_box(const State& state, int slot, const LocalBox& local, int component,
                NanPlace& first) {
    const halocline_field& view = state.view(slot, local.block);
    const T* base = static_cast<const T*>(view.data) + component * view.component;
    const Index3 origin = state.block(slot, local.block).box.lower;
    const Box& box = local.box;
    const std::int64_t nx = box.extent()[0];
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
            const T* row = base + y * view.y + z * view.z;
            if (!has_nan(row + box.lower[0] * view.x, view.x, nx)) continue;
            std::int64_t x = box.lower[0];
            while (row[x * view.x] == row[x * view.x]) ++x;
            first =
                std::min(first, NanPlace{z + origin[2], y + origin[1], x + origin[0], component});
            return;
        }
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
        const int threads = threads_for(bytes, state.memory.threads);
        if (threads == 1) {
            take_rows(state, reduce, local, 0, rows, partials[0]);
            continue;
        }
#pragma omp parallel num_threads(threads)
        {
            const std::int64_t count = omp_get_num_threads();
            const std::int64_t me = omp_get_thread_num();
            take_rows(state, reduce, local, rows * me / count, rows * (me + 1) / count,
                      partials[static_cast<std::size_t>(me)]);
        }
    }
    for (const Partial& other : partials.subspan(1)) partials[0].add(other);
    return partials[0];
}

NanPlace first_nan_on_host(const State& state, const program::Check& check) {
    const Field& field = state.field(check.slot);
    NanPlace first = no_nan;
    for (const LocalBox& box : check.boxes) {
        if (box.box.is_empty()) continue;
        for (int component = 0; component < field.components; ++component) {
            if (field.type == ElementType::float64) {
                search_box<double>(state, check.slot, box, component, first);
            } else if (field.type == ElementType::float32) {
                search_box<float>(state, check.slot, box, component, first);
            } else if (field.type == ElementType::float16) {
                search_box<Half>(state, check.slot, box, component, first);
            }
        }
    }
    return first;
}

}  // namespace halocline
