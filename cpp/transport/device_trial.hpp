#pragma once

#include "mpi/comm.hpp"

#include <string>
#include <vector>

#include "device/device.hpp"

namespace halocline {

/// Tries whether MPI takes memory of a device, between neighbours in the order of ranks; all ranks
/// must call it. Returns what this rank found to be wrong, nothing if it works.
[[nodiscard]] std::string try_messages_from_device(MPI_Comm comm, Device& device);

/// Likewise whether the devices of each node can read each other's memory.
[[nodiscard]] std::string try_peers(MPI_Comm comm, Device& device, const std::vector<int>& nodes);

}  // namespace halocline
