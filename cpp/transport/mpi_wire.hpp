#pragma once

#include "mpi/comm.hpp"

#include "transport/wire.hpp"

namespace halocline {

/// Sends by MPI; persistent messages are prepared once, when they are added.
class MpiWire final : public Wire {
public:
    MpiWire(MPI_Comm comm, bool is_persistent) : comm_(comm), is_persistent_(is_persistent) {}

    [[nodiscard]] std::unique_ptr<Parcels> receives() override;
    [[nodiscard]] std::unique_ptr<Parcels> sends() override;

private:
    MPI_Comm comm_;
    bool is_persistent_;
};

}  // namespace halocline
