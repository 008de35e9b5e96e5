#pragma once

#include <memory>
#include <string>

#include "transport/transport.hpp"

namespace halocline {

/// Two-sided messages of MPI on a duplicate of the communicator with this Fortran handle. MPI
/// must be initialised (MPI_THREAD_FUNNELED suffices) and outlive all use of the transport.
[[nodiscard]] std::shared_ptr<Transport> two_sided_transport(int fortran_handle);

/// Name and version of the MPI library, in its own words.
[[nodiscard]] std::string mpi_library_version();

/// Ends all processes of the job.
[[noreturn]] void mpi_abort(int code);

}  // namespace halocline
