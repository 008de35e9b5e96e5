#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "pgas/network.hpp"
#include "pgas/section.hpp"

namespace halocline::network {

/// The memory of all ranks of a communicator, which each of them has exposed, in one window.
class RemoteMemory {
public:
    /// Collective.
    RemoteMemory(MPI_Comm comm, std::byte* mine, std::size_t bytes);
    RemoteMemory(const RemoteMemory&) = delete;
    RemoteMemory& operator=(const RemoteMemory&) = delete;
    /// Collective.
    void close();

    void put(int rank, std::ptrdiff_t place, const pgas::Section& to, const std::byte* packed);
    void get(int rank, std::ptrdiff_t place, const pgas::Section& from, std::byte* packed);
    std::uint64_t fetch(int rank, std::ptrdiff_t place, pgas::Operation operation,
                        std::uint64_t value, std::size_t bytes);
    std::uint64_t compare_and_swap(int rank, std::ptrdiff_t place, std::uint64_t expected,
                                   std::uint64_t value, std::size_t bytes);
    void sync();

private:
    MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace halocline::network
