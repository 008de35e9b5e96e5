#pragma once

#include "pgas/network.hpp"

namespace halocline::pgas {

/// Of how many processes that an MPI launcher has started this is one; 0 of none.
[[nodiscard]] int processes_by_mpi();

/// Finds the other processes by MPI, whose part of Halocline is a library of its own that is only
/// loaded here. Throws JobError if it cannot be.
[[nodiscard]] Bootstrap bootstrap_by_mpi();

}  // namespace halocline::pgas
