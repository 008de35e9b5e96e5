#pragma once

#include <cstddef>

#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Does what is done at points, on the host's memory, in the step that has been begun.
void run_points(const State& state, const program::Run& run);

/// The same in some cells of a piece alone, along an axis plane by plane.
void run_points_in(const State& state, const program::Run& run, const program::Run::Piece& piece,
                   const halocline_call& cells, std::size_t axis);

}  // namespace halocline
