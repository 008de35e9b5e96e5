#pragma once

#include "runtime/program.hpp"

namespace halocline {

/// Puts the launches of a kernel in all its boxes into the device's stream.
void run_on_device(State& state, program::Run& run);

}  // namespace halocline
