#include "mpi/window.hpp"

#include <algorithm>
#include <atomic>

#include "mpi/error.hpp"
#include "pgas/align.hpp"

namespace halocline::mpi {
namespace {

/// All windows that span MPI's world, in the order in which all ranks have made them.
struct Made {
    RemoteMemory memory;
    bool is_unused;
};
std::vector<Made>& windows() {
    static std::vector<Made> made;
    return made;
}

void free_first(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) windows()[i].memory.close();
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
    const auto mine = std::ranges::find_if(
        windows(), [&](const Made& made) { return made.memory.handle() == memory_.handle(); });
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
    memory_ =
        RemoteMemory::allocate(comm, static_cast<std::size_t>(std::max(size_bytes_, line_bytes)));
    if (is_known) windows().push_back({memory_, false});
}

void Window::set(int rank, std::int64_t offset, std::uint64_t number) const {
    // MPI keeps no order between two puts: what came before has been flushed.
    memory_.put(rank, offset, std::as_bytes(std::span(&number, 1)));
}

bool Window::has(std::int64_t offset, std::uint64_t number) const {
    // The library moves bytes only while it is called.
    int is_there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &is_there, MPI_STATUS_IGNORE));
    memory_.sync();
    const std::atomic_ref counter(*reinterpret_cast<std::uint64_t*>(at(offset)));
    return counter.load(std::memory_order_acquire) >= number;
}

}  // namespace halocline::mpi
