#include "runtime/device_box.hpp"

#include <algorithm>

namespace halocline {
namespace {

std::int64_t count_of(const std::vector<halocline_active_run>& runs) {
    return runs.back().before + (runs.back().upper - runs.back().lower);
}

}  // namespace

BoxArgument box_of(const program::Run::Piece& piece, const std::byte* active_runs,
                   const std::byte* layers) {
    const halocline_call& call = piece.call;
    BoxArgument box{};
    std::ranges::copy(call.lower, box.lower);
    std::ranges::copy(call.upper, box.upper);
    std::ranges::copy(call.origin, box.origin);
    std::ranges::copy(call.period, box.period);
    box.wrap = call.wrap;
    box.active_runs = active_runs;
    box.active_run_count = call.active_run_count;
    box.layers = layers;
    box.free_of_inlined = piece.free_of_inlined;
    return box;
}

halocline_field field_of(const Mirror& mirror, const State& state, const program::Run& run,
                         const program::Run::Piece& piece, std::size_t field) {
    const int slot = run.fields[field];
    return moved(mirror.view(state.holds(slot), piece.block), state.field(slot).type,
                 piece.moved[field]);
}

Threads shared_of(const program::Run& run, const program::Run::Piece& piece) {
    return piece.active_runs.empty() ? run.threads : Threads{};
}

Index3 threads_of(const program::Run& run, const program::Run::Piece& piece) {
    if (!piece.active_runs.empty()) return {count_of(piece.active_runs), 1, 1};
    const Index3 cells = cells_of(piece.call).extent();
    Index3 threads{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t each = run.threads.cells[axis];
        threads[axis] = (cells[axis] + each - 1) / each;
    }
    return threads;
}

Index3 block_of(const Index3& threads, const Index3& wanted, std::int64_t most_z) {
    Index3 block{1, 1, 1};
    std::int64_t left = wanted[0] * wanted[1] * wanted[2];
    const auto grow = [&](const Index3& most) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            while (block[axis] < std::min(threads[axis], most[axis]) && left > 1) {
                block[axis] *= 2;
                left /= 2;
            }
        }
    };
    grow(wanted);
    grow({left * block[0], left * block[1], std::min(left * block[2], most_z)});
    return block;
}

}  // namespace halocline
