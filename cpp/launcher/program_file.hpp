#pragma once

#include <string>

namespace halocline::launcher {

/// Throws pgas::JobError if the images of a program would not find each other, as its ELF file
/// says: it was linked with another coarray library, or calls MPI and is to have several images.
/// What is no ELF file, as a script, is let pass.
void require_our_images(const std::string& program, int images);

}  // namespace halocline::launcher
