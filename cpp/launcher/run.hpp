#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halocline::launcher {

/// How a program is to run.
struct Run {
    int images;
    std::int64_t heap_bytes;           ///< that an image may use for coarrays
    std::vector<std::string> command;  ///< program and arguments
};

/// Starts the images of a program on this machine and waits for them. Returns the exit code: that
/// of ERROR STOP, else that of the first image whose code is not 0; 128 and the signal if an image
/// was killed.
[[nodiscard]] int run(const Run& wanted);

}  // namespace halocline::launcher
