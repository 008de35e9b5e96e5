#pragma once

#include <span>

#include "caf/report.hpp"

/// SYNC ALL, SYNC MEMORY and SYNC IMAGES: compilers differ in how they pass a message.
namespace halocline::caf {

void sync_all(const Answer& answer);
void sync_memory(const Answer& answer);
/// With the images of a list, or with all others.
void sync_images(std::span<const int> others, const Answer& answer);
void sync_other_images(const Answer& answer);

/// With what a program passes: a negative count means all others.
inline void sync_images(int count, const int* others, const Answer& answer) {
    if (count < 0) {
        sync_other_images(answer);
    } else {
        sync_images({others, static_cast<std::size_t>(count)}, answer);
    }
}

}  // namespace halocline::caf
