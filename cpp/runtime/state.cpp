#include "runtime/state.hpp"

#include <stdexcept>

namespace halocline {

void require_slot(const State& state, int slot, const std::string& where) {
    if (slot >= 0 && slot < static_cast<int>(state.fields.size())) return;
    throw std::invalid_argument(where + ": there is no field in slot " + std::to_string(slot) +
                                "; there are " + std::to_string(state.fields.size()) + ".");
}

void require_component(const State& state, int slot, int component, const std::string& where) {
    require_slot(state, slot, where);
    const Field& field = state.field(slot);
    if (component >= 0 && component < field.components) return;
    throw std::invalid_argument(where + ": field '" + field.name + "' has " +
                                std::to_string(field.components) + " components, got component " +
                                std::to_string(component) + ".");
}

void require_space(const State& state, int space, const std::string& where) {
    if (space >= 0 && space < static_cast<int>(state.spaces.size())) return;
    throw std::invalid_argument(where + ": there is no space " + std::to_string(space) +
                                "; there are " + std::to_string(state.spaces.size()) + ".");
}

LocalBox localize(const State& state, int slot, const plan::BlockBox& box,
                  const std::string& where) {
    require_slot(state, slot, where);
    const Field& field = state.field(slot);
    const std::size_t count = state.space(field.space).blocks.size();
    if (box.block < 0 || box.block >= static_cast<int>(count)) {
        throw std::invalid_argument(where + ": there is no block " + std::to_string(box.block) +
                                    "; there are " + std::to_string(count) + ".");
    }
    const Box& owned = state.owned(slot, box.block);
    const Box allocated = owned.grow(field.halo_lower, field.halo_upper);
    if (!allocated.contains(box.box)) {
        throw std::invalid_argument(where + ": box " + to_string(box.box) + " of block " +
                                    std::to_string(box.block) + " is outside of the cells " +
                                    to_string(allocated) + " of field '" + field.name + "'.");
    }
    return {box.block, box.box.relative_to(owned.lower)};
}

}  // namespace halocline
