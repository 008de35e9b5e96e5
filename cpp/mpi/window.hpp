#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halocline::mpi {

/// Memory of every rank of a communicator that the others may write and read, in parts reserved
/// by those who use it. MPI frees it when all ranks have, at the latest when it ends: to free is
/// collective, and objects die at different times on different ranks.
class Window {
public:
    Window() = default;
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window();

    /// Sets bytes aside on this rank and returns where they begin; before `allocate`.
    [[nodiscard]] std::int64_t reserve(std::int64_t size_bytes);
    /// Allocates what the ranks have reserved, unless that is nothing; all ranks must call it.
    void allocate(MPI_Comm comm);

    /// This rank's memory; zeros at first.
    [[nodiscard]] std::byte* at(std::int64_t offset) const { return first_ + offset; }

    /// Writes bytes to another rank; returns when they are there.
    void put(std::span<const std::byte> bytes, int rank, std::int64_t offset) const;
    /// Begins to read bytes of another rank, in as many requests as `gets` says.
    void get(std::span<std::byte> bytes, int rank, std::int64_t offset,
             std::span<MPI_Request> requests) const;
    [[nodiscard]] static std::size_t gets(std::size_t size_bytes);

    /// Sets a counter of another rank; what was put there before is there before.
    void set(int rank, std::int64_t offset, std::uint64_t number) const;
    /// Whether a counter of this rank has come to a number.
    [[nodiscard]] bool has(std::int64_t offset, std::uint64_t number) const;
    /// Makes what this rank has written to its own memory visible to others.
    void sync() const;

private:
    MPI_Win handle_ = MPI_WIN_NULL;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::int64_t size_bytes_ = 0;
    std::byte* first_ = nullptr;
};

}  // namespace halocline::mpi
