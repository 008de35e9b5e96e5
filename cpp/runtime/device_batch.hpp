#pragma once

#include <vector>

#include "device/device.hpp"
#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Adds a launch of a kernel for all its boxes, which it finds in a table on the device.
void add_batch(const Mirror& mirror, const State& state, program::Run& run,
               std::vector<DeviceLaunch>& launches);

}  // namespace halocline
