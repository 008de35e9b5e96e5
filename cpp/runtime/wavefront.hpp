#pragma once

#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Does the runs of a wavefront on the threads of the host. Scalars and active runs are those of
/// their steps.
void run_wavefront(State& state, program::Wavefront& wavefront);

}  // namespace halocline
