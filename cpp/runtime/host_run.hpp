#pragma once

#include <cstddef>

#include "runtime/program.hpp"

namespace halocline {

/// Gives a kernel its fields as they lie on the block of a piece, in the host's memory.
inline void give_fields(const State& state, program::Run& run, const program::Run::Piece& piece) {
    for (std::size_t i = 0; i < run.fields.size(); ++i) {
        const int slot = run.fields[i];
        run.field_arguments[i] =
            moved(state.view(slot, piece.block), state.field(slot).type, piece.moved[i]);
    }
}

}  // namespace halocline
