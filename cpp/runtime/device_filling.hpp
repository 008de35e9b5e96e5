#pragma once

#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Gives the cells of a run the values of the time: the processor does it, and copies them.
void fill_on_device(Mirror& mirror, State& state, program::Run& run);

}  // namespace halocline
