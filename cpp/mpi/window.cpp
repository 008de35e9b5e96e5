#include "mpi/window.hpp"

#include <algorithm>
#include <atomic>

#include "mpi/error.hpp"
#include "pgas/align.hpp"

namespace halocline::mpi {
namespace {

/// The counts of MPI before version 4 end at 2^31 - 1.
constexpr std::size_t largest_piece = std::size_t{1} << 30;

/// All windows that span MPI's world, in the order in which all ranks have made them.
struct Made {
    MPI_Win handle;
    bool is_unused;
};
std::vector<Made>& windows() {
    static std::vector<Made> made;
    return made;
}

void free_first(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        static_cast<void>(MPI_Win_unlock_all(windows()[i].handle));
        static_cast<void>(MPI_Win_free(&windows()[i].handle));
    }
    windows().erase(windows().begin(), windows().begin() + static_cast<std::ptrdiff_t>(count));
}

/// MPI calls this when it is about to end, on all ranks.
int free_all(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
    free_first(windows().size());
    return MPI_SUCCESS;
}

void free_at_the_end() {
    static bool is_arranged = false;
    if (is_arranged) return;
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, nullptr));
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
    is_arranged = true;
}

/// Frees the oldest windows, as far as no rank uses them any more.
void free_unused(MPI_Comm comm) {
    const auto used = std::ranges::find(windows(), false, &Made::is_unused);
    auto count = static_cast<std::int64_t>(used - windows().begin());
    check(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_MIN, comm));
    free_first(static_cast<std::size_t>(count));
}

bool spans_world(MPI_Comm comm) {
    int size = 0;
    int world = 0;
    check(MPI_Comm_size(comm, &size));
    check(MPI_Comm_size(MPI_COMM_WORLD, &world));
    return size == world;
}

}  // namespace

Window::~Window() {
    const auto mine = std::ranges::find(windows(), handle_, &Made::handle);
    if (mine != windows().end()) mine->is_unused = true;
}

std::int64_t Window::reserve(std::int64_t size_bytes) {
    const std::int64_t offset = size_bytes_;
    size_bytes_ += round_up(size_bytes, line_bytes);
    return offset;
}

void Window::allocate(MPI_Comm comm) {
    std::int64_t largest = size_bytes_;
    check(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, comm));
    if (largest == 0) return;
    const bool is_known = spans_world(comm);
    if (is_known) {
        free_unused(comm);
        free_at_the_end();
    }
    comm_ = comm;
    // A rank that has reserved nothing must still take part.
    const auto size = static_cast<MPI_Aint>(std::max(size_bytes_, line_bytes));
    check(MPI_Win_allocate(size, 1, MPI_INFO_NULL, comm, static_cast<void*>(&first_), &handle_));
    if (is_known) windows().push_back({handle_, false});
    check(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN));
    std::fill_n(first_, size, std::byte{0});
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_));
    sync();
    check(MPI_Barrier(comm));
}

void Window::put(std::span<const std::byte> bytes, int rank, std::int64_t offset) const {
    while (!bytes.empty()) {
        const std::size_t size = std::min(bytes.size(), largest_piece);
        check(MPI_Put(bytes.data(), static_cast<int>(size), MPI_BYTE, rank, offset,
                      static_cast<int>(size), MPI_BYTE, handle_));
        bytes = bytes.subspan(size);
        offset += static_cast<std::int64_t>(size);
    }
    check(MPI_Win_flush(rank, handle_));
}

std::size_t Window::gets(std::size_t size_bytes) {
    return (size_bytes + largest_piece - 1) / largest_piece;
}

void Window::get(std::span<std::byte> bytes, int rank, std::int64_t offset,
                 std::span<MPI_Request> requests) const {
    for (MPI_Request& request : requests) {
        const std::size_t size = std::min(bytes.size(), largest_piece);
        check(MPI_Rget(bytes.data(), static_cast<int>(size), MPI_BYTE, rank, offset,
                       static_cast<int>(size), MPI_BYTE, handle_, &request));
        bytes = bytes.subspan(size);
        offset += static_cast<std::int64_t>(size);
    }
}

void Window::set(int rank, std::int64_t offset, std::uint64_t number) const {
    // MPI keeps no order between two puts: what came before has been flushed.
    put(std::as_bytes(std::span(&number, 1)), rank, offset);
}

bool Window::has(std::int64_t offset, std::uint64_t number) const {
    // The library moves bytes only while it is called.
    int is_there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &is_there, MPI_STATUS_IGNORE));
    sync();
    const std::atomic_ref counter(*reinterpret_cast<std::uint64_t*>(at(offset)));
    return counter.load(std::memory_order_acquire) >= number;
}

void Window::sync() const {
    check(MPI_Win_sync(handle_));
}

}  // namespace halocline::mpi
