#include "runtime/point_run.hpp"

#include <vector>

namespace halocline {
namespace {

void work(const State& state, const program::Run& run, int block,
          const std::vector<PointList>& lists) {
    const int slot = run.fields.front();
    const double scalar = run.scalar_arguments.empty() ? 1.0 : run.scalar_arguments.front();
    work_at(*run.points, lists, state.view(slot, block), state.field(slot).type,
            state.block(slot, block), scalar, run.moment);
}

}  // namespace

void run_points(const State& state, const program::Run& run) {
    for (const program::Run::Piece& piece : run.pieces)
        work(state, run, piece.block, piece.point_lists);
}

void run_points_in(const State& state, const program::Run& run, const program::Run::Piece& piece,
                   const halocline_call& cells, std::size_t axis) {
    const PointsOnBlock points(state, *run.points, run.fields.front(), piece.block);
    Box box = cells_of(cells);
    for (std::int64_t at = cells.lower[axis]; at < cells.upper[axis]; ++at) {
        const auto plane = static_cast<std::size_t>(at - piece.call.lower[axis]);
        const std::vector<std::uint32_t>& some = piece.points_on_planes[plane];
        if (some.empty()) continue;
        box.lower[axis] = at, box.upper[axis] = at + 1;
        PointList list = points.list_in(some, box);
        if (!list.points.empty()) work(state, run, piece.block, {std::move(list)});
    }
}

}  // namespace halocline
