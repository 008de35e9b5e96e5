#pragma once

#include "runtime/program.hpp"

namespace halocline {

/// Puts the launches of a kernel in all its boxes into a stream of the device.
void run_on_device(State& state, program::Run& run);

/// Overwrites cells with poison, in the plain stream.
void poison_on_device(State& state, program::Poison& poison);

}  // namespace halocline
