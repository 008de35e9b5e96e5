#include "runtime/filling.hpp"

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/threads.hpp"
#include "runtime/program.hpp"

namespace halocline {
namespace {

/// A table of one block, of values of type V.
template <typename V>
class Table {
public:
    Table(const Filling::Part& part, int components)
        : values_(static_cast<const V*>(part.values.get())), box_(part.box) {
        const Index3 n = box_.extent();
        y_ = n[0];
        z_ = y_ * n[1];
        component_ = z_ * n[2];
        time_ = component_ * components;
    }
    /// The row of a cell, given with its global index.
    [[nodiscard]] const V* row(std::size_t time, int component, const Index3& cell) const {
        const Index3 i = cell - box_.lower;
        return values_ + static_cast<std::int64_t>(time) * time_ + component * component_ +
               i[2] * z_ + i[1] * y_ + i[0];
    }

private:
    const V* values_;
    Box box_;
    std::int64_t y_, z_, component_, time_;
};

/// Fills a box of a block's cells. `lower`, `upper`: counted from the block's origin.
template <typename T, typename V>
void fill(const Table<V>& table, const TimePlace& place, const Index3& lower, const Index3& upper,
          const Index3& origin, const halocline_field& view, int components, int threads) {
    const std::int64_t rows_y = upper[1] - lower[1];
    const std::int64_t rows = rows_y * (upper[2] - lower[2]);
    const std::int64_t length = upper[0] - lower[0];
    for (int q = 0; q < components; ++q) {
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
        for (std::int64_t n = 0; n < rows; ++n) {
            const Index3 first{lower[0], lower[1] + n % rows_y, lower[2] + n / rows_y};
            const V* const before = table.row(place.before, q, first + origin);
            const V* const after = table.row(place.after, q, first + origin);
            T* const cell = static_cast<T*>(view.data) + q * view.component + first[2] * view.z +
                            first[1] * view.y + first[0] * view.x;
            for (std::int64_t i = 0; i < length; ++i) {
                const auto a = static_cast<double>(before[i]);
                const auto b = static_cast<double>(after[i]);
                cell[i * view.x] = static_cast<T>(a + place.fraction * (b - a));
            }
        }
    }
}

}  // namespace

void run_filling(State& state, program::Run& run) {
    const Filling& filling = *run.filling;
    const int slot = run.fields.front();
    const Field& field = state.field(slot);
    const TimePlace place = place_in(filling.times, filling.period, state.scalars[time_scalar]);
    for (const program::Run::Piece& piece : run.pieces) {
        const Box cells = cells_of(piece.call);
        const Index3& origin = state.block(slot, piece.block).box.lower;
        const Filling::Part& part = filling.parts.at(static_cast<std::size_t>(piece.block));
        with_float(filling.type, [&]<typename V>(V) {
            const Table<V> table(part, field.components);
            with_float(field.type, [&]<typename T>(T) {
                fill<T>(table, place, cells.lower, cells.upper, origin,
                        state.view(slot, piece.block), field.components,
                        threads_for(piece.bytes, piece.threads));
            });
        });
    }
}

}  // namespace halocline
