#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/link.hpp"
#include "transport/transport.hpp"

namespace halocline {

/// All transports between the ranks of a communicator, of which it makes a duplicate, given by its
/// Fortran handle. MPI must be initialised (MPI_THREAD_FUNNELED suffices) and outlive all use.
///
/// `nodes` holds the node of each rank: those of one node may use shared memory. With latency [s]
/// or time per byte [s] messages between nodes cross an emulated link.
[[nodiscard]] std::shared_ptr<Transport> mpi_transport(int fortran_handle, std::vector<int> nodes,
                                                       double latency_s, double seconds_per_byte);

/// Starts MPI with all threads allowed, unless it has been started.
void mpi_start();

/// Name and version of the MPI library, in its own words.
[[nodiscard]] std::string mpi_library_version();

/// Ends all processes of the job.
[[noreturn]] void mpi_abort(int code);

}  // namespace halocline
