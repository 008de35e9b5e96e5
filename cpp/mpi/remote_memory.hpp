#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "pgas/network.hpp"
#include "pgas/section.hpp"

namespace halocline::mpi {

/// Memory of all ranks of a communicator that the others write and read: an MPI window, always open
/// to all. A `place` counts bytes from the beginning of a rank's memory. MPI keeps no order between
/// two operations; each of these but `begin_get` returns when it is done at the other end.
class RemoteMemory {
public:
    /// No memory.
    RemoteMemory() = default;
    /// What each rank has, at `mine`. Collective.
    RemoteMemory(MPI_Comm comm, std::byte* mine, std::size_t bytes);
    /// Memory that MPI allocates, filled with zeros. Collective.
    [[nodiscard]] static RemoteMemory allocate(MPI_Comm comm, std::size_t bytes);
    RemoteMemory(RemoteMemory&& other) noexcept { *this = std::move(other); }
    RemoteMemory& operator=(RemoteMemory&& other) noexcept {
        std::swap(window_, other.window_);
        std::swap(mine_, other.mine_);
        return *this;
    }
    RemoteMemory(const RemoteMemory&) = delete;
    RemoteMemory& operator=(const RemoteMemory&) = delete;
    /// Frees nothing: that is collective, and objects die at different times on different ranks.
    ~RemoteMemory() = default;
    /// Gives the memory back. Collective.
    void close();

    [[nodiscard]] std::byte* mine() const { return mine_; }
    [[nodiscard]] MPI_Win handle() const { return window_; }

    void put(int rank, std::ptrdiff_t place, std::span<const std::byte> bytes) const;
    /// Begins to read bytes, in as many requests as `gets` says.
    void begin_get(int rank, std::ptrdiff_t place, std::span<std::byte> bytes,
                   std::span<MPI_Request> requests) const;
    [[nodiscard]] static std::size_t gets(std::size_t bytes);

    /// Sections, whose elements have no gaps here.
    void put(int rank, std::ptrdiff_t place, const pgas::Section& to,
             const std::byte* packed) const;
    void get(int rank, std::ptrdiff_t place, const pgas::Section& from, std::byte* packed) const;

    std::uint64_t fetch(int rank, std::ptrdiff_t place, pgas::Operation operation,
                        std::uint64_t value, std::size_t bytes) const;
    std::uint64_t compare_and_swap(int rank, std::ptrdiff_t place, std::uint64_t expected,
                                   std::uint64_t value, std::size_t bytes) const;
    /// What this rank has written to its own memory is seen by others, and the other way round.
    void sync() const;

private:
    void open() const;

    MPI_Win window_ = MPI_WIN_NULL;
    std::byte* mine_ = nullptr;
};

}  // namespace halocline::mpi
