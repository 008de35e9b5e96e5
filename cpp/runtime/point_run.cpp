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
    const int slot = run.fields.front();
    const Space& space = state.space(state.field(slot).space);
    const Block& block = state.block(slot, piece.block);
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.lower[a] = block.box.lower[a] + cells.lower[a];
        box.upper[a] = block.box.lower[a] + cells.upper[a];
    }
    for (std::int64_t at = cells.lower[axis]; at < cells.upper[axis]; ++at) {
        const auto plane = static_cast<std::size_t>(at - piece.call.lower[axis]);
        const std::vector<std::uint32_t>& some = piece.points_on_planes[plane];
        if (some.empty()) continue;
        box.lower[axis] = block.box.lower[axis] + at;
        box.upper[axis] = box.lower[axis] + 1;
        PointList list = list_in(*run.points, some, box, block, space.period, space.turns,
                                 state.view(slot, piece.block));
        if (!list.points.empty()) work(state, run, piece.block, {std::move(list)});
    }
}

}  // namespace halocline
