#pragma once

#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Does what is done at points for a field on the device: the processor does it, with copies of the
/// cells concerned. Others stay as they are: messages may arrive there meanwhile.
void run_points_on_device(Mirror& mirror, State& state, program::Run& run);

}  // namespace halocline
