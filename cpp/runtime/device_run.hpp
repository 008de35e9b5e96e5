#pragma once

#include "device/mirror.hpp"
#include "runtime/program.hpp"

namespace halocline {

/// Puts the launches of a kernel in one of its boxes into a stream of the device.
void launch(const Mirror& mirror, const State& state, const program::Run& run,
            program::Run::Piece& piece, int stream);

}  // namespace halocline
