#include "mpi/remote_memory.hpp"

#include <algorithm>
#include <vector>

#include "mpi/error.hpp"
#include "mpi/type.hpp"
#include "pgas/error.hpp"

namespace halocline::mpi {
namespace {

/// The counts of MPI before version 4 end at 2^31 - 1.
constexpr std::int64_t largest_piece = std::int64_t{1} << 30;

/// Elements of a section, each so many bytes, as MPI knows them.
Type type_of(const pgas::Section& section) {
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(static_cast<int>(section.element.bytes), MPI_BYTE, &handle));
    Type type(handle);
    for (int a = 0; a < section.rank; ++a) {
        const pgas::Axis& axis = section.axes[static_cast<std::size_t>(a)];
        const auto count = static_cast<int>(axis.count);
        if (axis.offsets == nullptr) {
            check(MPI_Type_create_hvector(count, 1, axis.stride, type.handle(), &handle));
        } else {
            const std::vector<MPI_Aint> places(axis.offsets, axis.offsets + axis.count);
            check(MPI_Type_create_hindexed_block(count, 1, places.data(), type.handle(), &handle));
        }
        type = Type(handle);
    }
    type.commit();
    return type;
}

/// Does something with parts of a section that MPI can count, each with where its elements without
/// gaps lie; `place` moves along.
template <class Action>
void in_pieces(const pgas::Section& section, std::ptrdiff_t place, std::int64_t packed,
               const Action& action) {
    const std::int64_t bytes = section.count() * static_cast<std::int64_t>(section.element.bytes);
    if (bytes == 0) return;
    if (bytes <= largest_piece || section.rank == 0) {
        action(section, place, packed, static_cast<int>(bytes));
        return;
    }
    const pgas::Axis& axis = section.axes[static_cast<std::size_t>(section.rank - 1)];
    pgas::Section part = section;
    part.rank = section.rank - 1;
    for (std::int64_t i = 0; i < axis.count; ++i) {
        in_pieces(part, place + axis.offset(i), packed + i * (bytes / axis.count), action);
    }
}

MPI_Datatype number_type(std::size_t bytes) {
    return bytes == sizeof(std::uint64_t) ? MPI_UINT64_T : MPI_UINT32_T;
}

MPI_Op operation_of(pgas::Operation operation) {
    switch (operation) {
        case pgas::Operation::add:
            return MPI_SUM;
        case pgas::Operation::bitwise_and:
            return MPI_BAND;
        case pgas::Operation::bitwise_or:
            return MPI_BOR;
        case pgas::Operation::bitwise_xor:
            return MPI_BXOR;
        default:
            return MPI_REPLACE;
    }
}

}  // namespace

RemoteMemory::RemoteMemory(MPI_Comm comm, std::byte* mine, std::size_t bytes) : mine_(mine) {
    check(MPI_Win_create(mine, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm, &window_));
    open();
}

RemoteMemory RemoteMemory::allocate(MPI_Comm comm, std::size_t bytes) {
    RemoteMemory memory;
    check(MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm,
                           static_cast<void*>(&memory.mine_), &memory.window_));
    std::fill_n(memory.mine_, bytes, std::byte{0});
    memory.open();
    memory.sync();
    check(MPI_Barrier(comm));
    return memory;
}

void RemoteMemory::open() const {
    check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

void RemoteMemory::close() {
    // At the end of a program nobody could be told of a failure.
    static_cast<void>(MPI_Win_unlock_all(window_));
    static_cast<void>(MPI_Win_free(&window_));
}

void RemoteMemory::put(int rank, std::ptrdiff_t place, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const std::size_t size = std::min(bytes.size(), std::size_t{largest_piece});
        check(MPI_Put(bytes.data(), static_cast<int>(size), MPI_BYTE, rank, place,
                      static_cast<int>(size), MPI_BYTE, window_));
        bytes = bytes.subspan(size);
        place += static_cast<std::ptrdiff_t>(size);
    }
    check(MPI_Win_flush(rank, window_));
}

std::size_t RemoteMemory::gets(std::size_t bytes) {
    return (bytes + largest_piece - 1) / largest_piece;
}

void RemoteMemory::begin_get(int rank, std::ptrdiff_t place, std::span<std::byte> bytes,
                             std::span<MPI_Request> requests) const {
    for (MPI_Request& request : requests) {
        const std::size_t size = std::min(bytes.size(), std::size_t{largest_piece});
        check(MPI_Rget(bytes.data(), static_cast<int>(size), MPI_BYTE, rank, place,
                       static_cast<int>(size), MPI_BYTE, window_, &request));
        bytes = bytes.subspan(size);
        place += static_cast<std::ptrdiff_t>(size);
    }
}

void RemoteMemory::put(int rank, std::ptrdiff_t place, const pgas::Section& to,
                       const std::byte* packed) const {
    in_pieces(to, place, 0, [&](const pgas::Section& part, auto there, auto here, int bytes) {
        const Type type = type_of(part);
        check(MPI_Put(packed + here, bytes, MPI_BYTE, rank, there, 1, type.handle(), window_));
    });
    check(MPI_Win_flush(rank, window_));
}

void RemoteMemory::get(int rank, std::ptrdiff_t place, const pgas::Section& from,
                       std::byte* packed) const {
    in_pieces(from, place, 0, [&](const pgas::Section& part, auto there, auto here, int bytes) {
        const Type type = type_of(part);
        check(MPI_Get(packed + here, bytes, MPI_BYTE, rank, there, 1, type.handle(), window_));
    });
    check(MPI_Win_flush(rank, window_));
}

std::uint64_t RemoteMemory::fetch(int rank, std::ptrdiff_t place, pgas::Operation operation,
                                  std::uint64_t value, std::size_t bytes) const {
    std::uint64_t before = 0;  // its lowest bytes are the number, where these come first
    check(MPI_Fetch_and_op(&value, &before, number_type(bytes), rank, place,
                           operation_of(operation), window_));
    check(MPI_Win_flush(rank, window_));
    return before;
}

std::uint64_t RemoteMemory::compare_and_swap(int rank, std::ptrdiff_t place, std::uint64_t expected,
                                             std::uint64_t value, std::size_t bytes) const {
#ifdef OPEN_MPI
    // Many of 8 bytes crash Open MPI 4.1.
    if (bytes == sizeof(std::uint64_t)) {
        throw pgas::JobError(
            "Compare and swap of 8 bytes between nodes does not work with Open "
            "MPI: use an integer of 4 bytes.");
    }
#endif
    std::uint64_t before = 0;
    check(
        MPI_Compare_and_swap(&value, &expected, &before, number_type(bytes), rank, place, window_));
    check(MPI_Win_flush(rank, window_));
    return before;
}

void RemoteMemory::sync() const {
    check(MPI_Win_sync(window_));
}

}  // namespace halocline::mpi
