#pragma once

#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Launches a kernel in all its boxes: at once, if it is batched, or each.
void launch(const Mirror& mirror, const State& state, program::Run& run, int stream);

}  // namespace halocline
