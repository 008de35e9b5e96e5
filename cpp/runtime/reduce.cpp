#include "runtime/reduce.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "core/align.hpp"
#include "core/threads.hpp"
#include "runtime/device_reduce.hpp"

namespace halocline {
namespace {

constexpr std::int64_t piece_values = 1024;
/// From this many doubles on, copying a row costs more than a piece of its own.
constexpr std::int64_t long_row = 256;
constexpr double infinity = std::numeric_limits<double>::infinity();

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
        while (count > 0) {
            const std::int64_t n = std::min(count, piece_values - held_);
            double* const piece = piece_.data() + held_;
            for (std::int64_t i = 0; i < n; ++i) piece[i] = static_cast<double>(row[i * stride]);
            row += n * stride;
            count -= n;
            held_ += n;
            if (held_ == piece_values) flush();
        }
    }

    void flush() {
        work_({piece_.data(), static_cast<std::size_t>(held_)});
        held_ = 0;
    }

private:
    const Work& work_;
    std::int64_t held_ = 0;
    alignas(line_bytes) std::array<double, piece_values> piece_;
};

template <typename T>
bool has_nan(const T* row, std::int64_t stride, std::int64_t count) {
    const auto is_nan = [](T value) { return value != value ? 1 : 0; };
    int found = 0;
    for (std::int64_t x = 0; x < count; ++x) found |= is_nan(row[x * stride]);
    return found != 0;
}

/// Whether (z, y, x, component) comes before another.
using Key = std::array<std::int64_t, 4>;
constexpr Key no_key{std::numeric_limits<std::int64_t>::max(), 0, 0, 0};

Key search_device(const State& state, int slot, const std::vector<LocalBox>& boxes) {
    Key first = no_key;
    for (const DeviceNan& found : nans_on_device(state, slot, boxes)) {
        const Index3 origin = state.blocks[static_cast<std::size_t>(found.block)].lower;
        const Index3 cell = found.cell + origin;
        first = std::min(first, Key{cell[2], cell[1], cell[0], found.component});
    }
    return first;
}

template <typename T>
void search_box(const State& state, int slot, const LocalBox& local, int component, Key& first) {
    const halocline_field& view = state.view(slot, local.block);
    const T* base = static_cast<const T*>(view.data) + component * view.component;
    const Index3 origin = state.blocks[static_cast<std::size_t>(local.block)].lower;
    const Box& box = local.box;
    const std::int64_t nx = box.extent()[0];
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
            const T* row = base + y * view.y + z * view.z;
            if (!has_nan(row + box.lower[0] * view.x, view.x, nx)) continue;
            std::int64_t x = box.lower[0];
            while (row[x * view.x] == row[x * view.x]) ++x;
            first = std::min(first, Key{z + origin[2], y + origin[1], x + origin[0], component});
            return;
        }
    }
}

Key search(const State& state, int slot, const std::vector<LocalBox>& boxes) {
    const Field& field = state.field(slot);
    Key first = no_key;
    for (const LocalBox& box : boxes) {
        if (box.box.is_empty()) continue;
        for (int component = 0; component < field.components; ++component) {
            if (field.type == ElementType::float64) {
                search_box<double>(state, slot, box, component, first);
            } else if (field.type == ElementType::float32) {
                search_box<float>(state, slot, box, component, first);
            } else if (field.type == ElementType::float16) {
                search_box<Half>(state, slot, box, component, first);
            }
        }
    }
    return first;
}

}  // namespace

Reducer::Reducer(plan::Reduction reduction, int slot, int component, std::vector<LocalBox> boxes,
                 int threads)
    : reduction_(reduction),
      slot_(slot),
      component_(component),
      boxes_(std::move(boxes)),
      partials_(static_cast<std::size_t>(threads)) {}

double Reducer::evaluate(const State& state) {
    for (Partial& partial : partials_) partial = {};
    if (state.mirror())
        visit_on_device(state);
    else
        visit(state);
    return reduction_ == plan::Reduction::sum ? combine_sum(state) : combine_extreme(state);
}

void Reducer::visit(const State& state) {
    for (const LocalBox& local : boxes_) {
        if (local.box.is_empty()) continue;
        const std::int64_t rows = local.box.extent()[1] * local.box.extent()[2];
        const std::int64_t bytes = local.box.cells() * size_of(state.field(slot_).type);
        const int threads = threads_for(bytes, state.memory.threads);
        if (threads == 1) {
            visit_range(state, local, 0, rows, partials_[0]);
            continue;
        }
#pragma omp parallel num_threads(threads)
        {
            const std::int64_t count = omp_get_num_threads();
            const std::int64_t me = omp_get_thread_num();
            visit_range(state, local, rows * me / count, rows * (me + 1) / count,
                        partials_[static_cast<std::size_t>(me)]);
        }
    }
}

void Reducer::visit_on_device(const State& state) {
    if (reduction_ == plan::Reduction::sum)
        add_on_device(state, slot_, component_, boxes_, partials_[0].sum);
    else
        take_on_device(state, slot_, component_, boxes_, partials_[0].extremes);
}

void Reducer::visit_range(const State& state, const LocalBox& local, std::int64_t first,
                          std::int64_t last, Partial& partial) const {
    const halocline_field& view = state.view(slot_, local.block);
    const Box& box = local.box;
    const Index3 n = box.extent();
    const auto take = [&](std::span<const double> values) {
        if (reduction_ == plan::Reduction::sum)
            partial.sum.add(values);
        else
            partial.extremes.take(values);
    };
    with_type(state.field(slot_).type, [&]<typename T>(T) {
        const T* base = static_cast<const T*>(view.data) + component_ * view.component;
        Pieces pieces(take);
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t y = box.lower[1] + row % n[1];
            const std::int64_t z = box.lower[2] + row / n[1];
            pieces.add(base + box.lower[0] * view.x + y * view.y + z * view.z, view.x, n[0]);
        }
        pieces.flush();
    });
}

double Reducer::combine_sum(const State& state) {
    Superaccumulator& total = partials_[0].sum;
    for (std::size_t i = 1; i < partials_.size(); ++i) total.add(partials_[i].sum);
    state.transport->sum(total.normalized());
    return total.round();
}

double Reducer::combine_extreme(const State& state) {
    const bool is_min = reduction_ == plan::Reduction::min;
    // MPI leaves the minimum with a NaN undefined, so a flag travels beside the value.
    std::array<double, 2> values{is_min ? infinity : -infinity, 0};
    for (const Partial& partial : partials_) {
        const Extremes& some = partial.extremes;
        values[0] = is_min ? std::min(values[0], of_rank(some.least))
                           : std::max(values[0], of_rank(some.greatest));
        if (some.has_nan()) values[1] = is_min ? -1 : 1;
    }
    if (is_min)
        state.transport->min(values);
    else
        state.transport->max(values);
    if (values[1] != 0) return std::nan("");
    // Which of +0 and -0 was met first depends on the order; adding +0 makes both +0.
    return values[0] + 0.0;
}

std::optional<NanCell> find_nan(const State& state, int slot, const std::vector<LocalBox>& boxes) {
    const Key mine =
        state.mirror() ? search_device(state, slot, boxes) : search(state, slot, boxes);
    Key first{};
    bool is_mine_first = mine != no_key;
    // One number after the other; doubles hold cell indices exactly. Only the first of these
    // collective calls happens unless there is a NaN.
    for (std::size_t i = 0; i < first.size(); ++i) {
        std::array<double, 1> value{is_mine_first ? static_cast<double>(mine[i]) : infinity};
        state.transport->min(value);
        if (value[0] == infinity) return std::nullopt;
        first[i] = static_cast<std::int64_t>(value[0]);
        is_mine_first = is_mine_first && mine[i] == first[i];
    }
    return NanCell{static_cast<int>(first[3]), {first[2], first[1], first[0]}};
}

}  // namespace halocline
