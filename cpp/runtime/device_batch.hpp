#pragma once

#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Launches a kernel once for all its boxes, which it finds in a table on the device.
void launch_batch(const Mirror& mirror, const State& state, program::Run& run, int stream);

}  // namespace halocline
