#pragma once

#include <string>

namespace halocline::launcher {

/// Throws pgas::JobError if a program was linked with another coarray library, as its ELF file
/// says: its images would not find each other. What is no ELF file, as a script, is let pass.
void require_our_library(const std::string& program);

}  // namespace halocline::launcher
