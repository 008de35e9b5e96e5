#include "runtime/device_points.hpp"

#include <algorithm>

#include "core/pack.hpp"
#include "runtime/point_run.hpp"

namespace halocline {
namespace {

/// A piece's cells, and those around them as far as points that belong to them may weight any.
Box weighted_cells(const State& state, const program::Run& run, const program::Run::Piece& piece) {
    Box box = cells_of(piece.call);
    const std::size_t storage = state.holds(run.fields.front());
    const auto block = static_cast<std::size_t>(piece.block);
    const Box& allocated = state.storages[storage][block].layout().allocated;
    if (!run.points->is_injected) {
        box = piece.call.wrap != 0 ? allocated : box.grow(run.points->widths, run.points->widths);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.lower[axis] = std::max(box.lower[axis], allocated.lower[axis]);
        box.upper[axis] = std::min(box.upper[axis], allocated.upper[axis]);
    }
    return box;
}

/// Copies the cells of all pieces between the device and the host.
void copy(Mirror& mirror, const State& state, const program::Run& run, bool to_device) {
    const int slot = run.fields.front();
    const std::int64_t size = size_of(state.field(slot).type);
    for (const program::Run::Piece& piece : run.pieces) {
        if (piece.point_lists.empty()) continue;
        const Box box = weighted_cells(state, run, piece);
        const auto rows = [&](const halocline_field& view) {
            return rows_of(view, size, run.points->component, box.lower);
        };
        const Rows there = rows(mirror.view(state.holds(slot), piece.block));
        const Rows here = rows(state.view(slot, piece.block));
        mirror.device().copy_box(Device::plain, to_device ? there : here, to_device ? here : there,
                                 box.extent(), size);
    }
    mirror.device().synchronize(mirror.device().record(Device::plain));
}

}  // namespace

void run_points_on_device(Mirror& mirror, State& state, program::Run& run) {
    const bool is_injected = run.points->is_injected;
    mirror.splits().end();
    mirror.to_device(state.holds(run.fields.front()), is_injected);
    copy(mirror, state, run, false);
    run_points(state, run);
    if (is_injected) copy(mirror, state, run, true);
}

}  // namespace halocline
