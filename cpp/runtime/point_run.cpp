#include "runtime/point_run.hpp"

#include "runtime/program.hpp"

namespace halocline {

void run_points(State& state, program::Run& run) {
    Points& points = *run.points;
    const int slot = run.fields.front();
    const double scalar = run.scalar_arguments.empty() ? 1.0 : run.scalar_arguments.front();
    const double time = state.scalars[time_scalar];
    if (!points.is_injected) begin_row(points, state.step, time);
    for (const program::Run::Piece& piece : run.pieces) {
        work_at(points, piece.point_lists, state.view(slot, piece.block), state.field(slot).type,
                state.block(slot, piece.block), scalar, time);
    }
}

}  // namespace halocline
