#include "runtime/device_filling.hpp"

#include <algorithm>

#include "core/pack.hpp"

namespace halocline {

void fill_on_device(Mirror& mirror, State& state, program::Run& run) {
    const int slot = run.fields.front();
    const std::int64_t size = size_of(state.field(slot).type);
    mirror.splits().end();
    mirror.to_device(state.holds(slot), true);
    run_filling(state, run);
    for (const program::Run::Piece& piece : run.pieces) {
        Box box;
        std::ranges::copy(piece.call.lower, box.lower.begin());
        std::ranges::copy(piece.call.upper, box.upper.begin());
        for (int q = 0; q < state.field(slot).components; ++q) {
            const auto rows = [&](const halocline_field& view) {
                return rows_of(view, size, q, box.lower);
            };
            const Rows there = rows(mirror.view(state.holds(slot), piece.block));
            const Rows here = rows(state.view(slot, piece.block));
            mirror.device().copy_box(Device::plain, there, here, box.extent(), size);
        }
    }
    mirror.device().synchronize(mirror.device().record(Device::plain));
}

}  // namespace halocline
