#include "runtime/state.hpp"

#include <algorithm>
#include <stdexcept>

namespace halocline {

bool State::changes(int scalar) const {
    const Formula& formula = formulas[static_cast<std::size_t>(scalar)];
    const auto uses = [&](int one) { return scalar == one || formula.reads({one}); };
    return uses(step_scalar) || uses(time_scalar) ||
           std::ranges::any_of(series, uses, &SeriesScalar::scalar);
}

void require_slot(const State& state, int slot, const std::string& where) {
    if (slot >= 0 && slot < static_cast<int>(state.fields.size())) {
        if (state.field(slot).components > 0) return;
        throw std::invalid_argument(where + ": field '" + state.field(slot).name +
                                    "' has been removed.");
    }
    throw std::invalid_argument(where + ": there is no field in slot " + std::to_string(slot) +
                                "; there are " + std::to_string(state.fields.size()) + ".");
}

void require_space(const State& state, int space, const std::string& where) {
    if (space >= 0 && space < static_cast<int>(state.spaces.size())) return;
    throw std::invalid_argument(where + ": there is no space " + std::to_string(space) +
                                "; there are " + std::to_string(state.spaces.size()) + ".");
}

void require_block(const State& state, int space, int block, const std::string& where) {
    const auto count = static_cast<int>(state.space(space).blocks.size());
    if (block >= 0 && block < count) return;
    throw std::invalid_argument(where + ": there is no block " + std::to_string(block) +
                                " in space " + std::to_string(space) + "; there are " +
                                std::to_string(count) + ".");
}

void require_component(const State& state, int slot, int component, const std::string& where) {
    require_slot(state, slot, where);
    const Field& field = state.field(slot);
    if (component >= 0 && component < field.components) return;
    throw std::invalid_argument(where + ": field '" + field.name + "' has " +
                                std::to_string(field.components) + " components, got component " +
                                std::to_string(component) + ".");
}

LocalBox localize(const State& state, int slot, const plan::BlockBox& box,
                  const std::string& where) {
    require_slot(state, slot, where);
    const Field& field = state.field(slot);
    require_block(state, field.space, box.block, where);
    const Box& owned = state.block(slot, box.block).box;
    const Box allocated = field.stored(box.block, owned);
    if (!allocated.contains(box.box)) {
        throw std::invalid_argument(where + ": box " + to_string(box.box) + " of block " +
                                    std::to_string(box.block) + " is outside of the cells " +
                                    to_string(allocated) + " of field '" + field.name + "'.");
    }
    return {box.block, box.box.relative_to(owned.lower)};
}

void require_interval(std::int64_t steps, const std::string& where) {
    if (steps >= 1) return;
    throw std::invalid_argument(where + ": interval " + std::to_string(steps) +
                                " is less than one step.");
}

}  // namespace halocline
