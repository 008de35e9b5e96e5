#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi/remote_memory.hpp"

namespace halocline::mpi {

/// Memory of every rank of a communicator that the others may write and read, in parts reserved
/// by those who use it. To free it is collective, and objects die at different times on different
/// ranks: it is freed when the same ranks next allocate after all of them have stopped using it, at
/// the latest when MPI ends.
class Window {
public:
    /// Sets bytes aside on this rank and returns where they begin; before `allocate`.
    [[nodiscard]] std::int64_t reserve(std::int64_t size_bytes);
    /// Likewise for a counter.
    [[nodiscard]] std::int64_t reserve_counter() { return reserve(sizeof(std::uint64_t)); }
    /// Allocates what the ranks have reserved, unless that is nothing; all ranks must call it.
    void allocate(MPI_Comm comm);

    /// This rank's memory; zeros at first.
    [[nodiscard]] std::byte* at(std::int64_t offset) const { return memory_->mine() + offset; }
    /// That of all ranks.
    [[nodiscard]] const RemoteMemory& memory() const { return *memory_; }

    /// Sets a counter of another rank; what was put there before is there before.
    void set(int rank, std::int64_t offset, std::uint64_t number) const;
    /// Whether a counter of this rank has come to a number.
    [[nodiscard]] bool has(std::int64_t offset, std::uint64_t number) const;

private:
    std::shared_ptr<const RemoteMemory> memory_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::int64_t size_bytes_ = 0;
};

}  // namespace halocline::mpi
