#include "mpi/window.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "mpi/error.hpp"
#include "pgas/align.hpp"

namespace halocline::mpi {
namespace {

using Memories = std::vector<std::shared_ptr<RemoteMemory>>;

/// All memory in the order in which this rank has allocated it, which no two ranks see differently.
Memories& allocated() {
    static Memories memories;
    return memories;
}

/// Whether memory is that of the ranks of a communicator.
bool is_of(const RemoteMemory& memory, MPI_Comm comm) {
    MPI_Group its = MPI_GROUP_NULL;
    MPI_Group ranks = MPI_GROUP_NULL;
    int likeness = MPI_UNEQUAL;
    check(MPI_Win_get_group(memory.handle(), &its));
    check(MPI_Comm_group(comm, &ranks));
    check(MPI_Group_compare(its, ranks, &likeness));
    check(MPI_Group_free(&its));
    check(MPI_Group_free(&ranks));
    return likeness == MPI_IDENT;
}

/// Frees the oldest memory of these ranks: of so many allocations.
void free_oldest(MPI_Comm comm, std::int64_t count) {
    std::erase_if(allocated(), [&](const std::shared_ptr<RemoteMemory>& memory) {
        if (count == 0 || !is_of(*memory, comm)) return false;
        memory->close();
        --count;
        return true;
    });
}

/// MPI calls this when it is about to end, on all ranks.
int free_all(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
    for (const auto& memory : allocated()) memory->close();
    allocated().clear();
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

/// How many of the oldest allocations of these ranks no window of this rank uses any more.
std::int64_t unused(MPI_Comm comm) {
    std::int64_t count = 0;
    for (const auto& memory : allocated()) {
        if (!is_of(*memory, comm)) continue;
        if (memory.use_count() > 1) break;
        ++count;
    }
    return count;
}

}  // namespace

std::int64_t Window::reserve(std::int64_t size_bytes) {
    const std::int64_t offset = size_bytes_;
    size_bytes_ += round_up(size_bytes, line_bytes);
    return offset;
}

void Window::allocate(MPI_Comm comm) {
    // The most that any rank has reserved, and the fewest allocations that any rank can free.
    std::array<std::int64_t, 2> most{size_bytes_, -unused(comm)};
    check(MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT64_T, MPI_MAX, comm));
    free_oldest(comm, -most[1]);
    if (most[0] == 0) return;
    free_at_the_end();
    comm_ = comm;
    // A rank that has reserved nothing must still take part.
    const auto bytes = static_cast<std::size_t>(std::max(size_bytes_, line_bytes));
    const auto memory = std::make_shared<RemoteMemory>(RemoteMemory::allocate(comm, bytes));
    allocated().push_back(memory);
    memory_ = memory;
}

void Window::set(int rank, std::int64_t offset, std::uint64_t number) const {
    // MPI keeps no order between two puts: what came before has been flushed.
    memory_->put(rank, offset, std::as_bytes(std::span(&number, 1)));
}

bool Window::has(std::int64_t offset, std::uint64_t number) const {
    // The library moves bytes only while it is called.
    int is_there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &is_there, MPI_STATUS_IGNORE));
    memory_->sync();
    const std::atomic_ref counter(*reinterpret_cast<std::uint64_t*>(at(offset)));
    return counter.load(std::memory_order_acquire) >= number;
}

}  // namespace halocline::mpi
