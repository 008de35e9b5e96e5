#pragma once

#include <mpi.h>

#include <span>
#include <utility>

#include "mpi/error.hpp"

namespace halocline::mpi {

/// Whether MPI can be called: it is initialised and not yet finalised.
[[nodiscard]] inline bool is_active() {
    int is_initialized = 0;
    int is_finalized = 0;
    check(MPI_Initialized(&is_initialized));
    check(MPI_Finalized(&is_finalized));
    return is_initialized != 0 && is_finalized == 0;
}

/// A new communicator of some ranks of another one, in this order. Collective over them.
[[nodiscard]] inline MPI_Comm comm_of_ranks(MPI_Comm original, std::span<const int> ranks,
                                            int tag) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_group(original, &all));
    check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some));
    check(MPI_Comm_create_group(original, some, tag, &comm));
    check(MPI_Group_free(&some));
    check(MPI_Group_free(&all));
    return comm;
}

/// This process' rank in a communicator.
[[nodiscard]] inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank));
    return rank;
}

/// A communicator of our own, a duplicate of the user's; errors are returned, not fatal.
class Comm {
public:
    explicit Comm(MPI_Comm original) {
        check(MPI_Comm_dup(original, &handle_));
        check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
    }
    Comm(Comm&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
    Comm& operator=(Comm&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Comm(const Comm&) = delete;
    Comm& operator=(const Comm&) = delete;
    ~Comm() {
        // Python may have finalised MPI before it destroys its last objects. A failure to free
        // cannot be reported from here and loses only memory.
        int is_finalized = 0;
        if (handle_ == MPI_COMM_NULL || MPI_Finalized(&is_finalized) != MPI_SUCCESS) return;
        if (is_finalized == 0) static_cast<void>(MPI_Comm_free(&handle_));
    }

    [[nodiscard]] MPI_Comm handle() const { return handle_; }

    [[nodiscard]] int rank() const { return rank_in(handle_); }

    [[nodiscard]] int size() const {
        int size = 0;
        check(MPI_Comm_size(handle_, &size));
        return size;
    }

    /// The largest tag that messages may have.
    [[nodiscard]] int largest_tag() const {
        int* largest = nullptr;
        int is_known = 0;
        check(MPI_Comm_get_attr(handle_, MPI_TAG_UB, static_cast<void*>(&largest), &is_known));
        constexpr int guaranteed = 32767;
        return is_known != 0 ? *largest : guaranteed;
    }

private:
    MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace halocline::mpi
