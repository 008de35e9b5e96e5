#pragma once

#include "pgas/section.hpp"

namespace halocline::pgas {

/// Reads a section of another process' own memory, which is not shared, through the system; the
/// elements come without gaps. Throws JobError if the system refuses.
void read_private(int process, const Section& from, std::byte* packed);
/// Writes one.
void write_private(int process, const Section& to, const std::byte* packed);

}  // namespace halocline::pgas
