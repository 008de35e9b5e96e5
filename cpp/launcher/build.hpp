#pragma once

#include <string>
#include <vector>

namespace halocline::launcher {

/// The folder in which this program lies in bin/, and all that belongs to it beside that.
[[nodiscard]] std::string prefix();

/// What a compiler is to be told so that a program has our coarrays.
[[nodiscard]] std::vector<std::string> compile_flags();
[[nodiscard]] std::vector<std::string> link_flags();

/// Runs the compiler ($FC, else gfortran) with these arguments and ours; returns its exit status.
/// Throws pgas::JobError if there is none, or one of an unknown version.
[[nodiscard]] int build(const std::vector<std::string>& arguments);

}  // namespace halocline::launcher
