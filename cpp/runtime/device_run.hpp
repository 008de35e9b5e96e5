#pragma once

#include "runtime/program.hpp"

namespace halocline {

/// Puts the launches of a kernel in all its boxes into the device's plain stream.
void run_on_device(State& state, program::Run& run);

/// Likewise overwrites cells with poison.
void poison_on_device(State& state, program::Poison& poison);

}  // namespace halocline
