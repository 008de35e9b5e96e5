#pragma once

namespace halocline {

struct State;
namespace program {
struct Run;
}

/// Does what is done at points, on the host's memory.
void run_points(State& state, program::Run& run);

}  // namespace halocline
