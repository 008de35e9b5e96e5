#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/transport.hpp"

namespace halocline {

/// Ranks that are threads of one process. They exchange packed messages and reductions in memory,
/// and read each other's fields as ranks of a node do.
class HALOCLINE_EXPORT VirtualRanks {
public:
    /// `nodes` and the emulated link are those of `mpi_transport`.
    VirtualRanks(std::vector<int> nodes, double latency_s, double seconds_per_byte);

    /// The transport of a rank, for its thread.
    [[nodiscard]] std::shared_ptr<Transport> transport(int rank) const;

    /// Lets every rank that waits for others throw a TransportError.
    void fail(const std::string& why) const;

private:
    std::shared_ptr<class VirtualJob> job_;
};

}  // namespace halocline
