#pragma once

#include <memory>

#include "mpi/comm.hpp"
#include "mpi/window.hpp"
#include "transport/device_packets.hpp"
#include "transport/transport.hpp"

namespace halocline {

/// Messages that are not packed: MPI is told where the cells lie.
[[nodiscard]] std::unique_ptr<Channel> datatype_channel(MPI_Comm comm, const Memory& memory,
                                                        const Messages& messages);

/// Packed messages that the sender writes into the receiver's memory. The window is allocated
/// after the channel was made, and before it is attached.
[[nodiscard]] std::unique_ptr<Channel> put_channel(std::shared_ptr<mpi::Window> window,
                                                   const Memory& memory, const Messages& messages);

/// Packed messages that the receiver fetches from the sender's memory; the window as with put.
[[nodiscard]] std::unique_ptr<Channel> get_channel(std::shared_ptr<mpi::Window> window,
                                                   const Memory& memory, const Messages& messages);

/// Packed messages of a device that devices of the same node read. `back` is a second communicator.
[[nodiscard]] std::unique_ptr<Channel> peer_channel(MPI_Comm comm, MPI_Comm back, Mirror& mirror,
                                                    const Messages& messages);

}  // namespace halocline
