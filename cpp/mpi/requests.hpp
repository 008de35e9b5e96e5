#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <vector>

#include "mpi/error.hpp"

namespace halocline::mpi {

/// Messages in flight; their buffers must outlive this object.
class Requests {
public:
    explicit Requests(std::size_t count) : handles_(count, MPI_REQUEST_NULL) {}
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests() {
        int is_finalized = 0;
        if (MPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0) return;
        for (MPI_Request& request : handles_) finish(request);
    }

    [[nodiscard]] MPI_Request& operator[](std::size_t i) { return handles_[i]; }

    /// Returns when all are complete.
    void wait() { check(MPI_Waitall(count(), handles_.data(), MPI_STATUSES_IGNORE)); }

    /// Lets messages progress; true when all are complete.
    [[nodiscard]] bool test() {
        int is_done = 0;
        check(MPI_Testall(count(), handles_.data(), &is_done, MPI_STATUSES_IGNORE));
        return is_done != 0;
    }

private:
    /// A buffer must not be freed while MPI uses it. After an error the other side may never
    /// answer, so waiting could hang: then the job ends.
    static void finish(MPI_Request& request) {
        if (request == MPI_REQUEST_NULL) return;
        if (std::uncaught_exceptions() > 0) static_cast<void>(MPI_Abort(MPI_COMM_WORLD, 1));
        static_cast<void>(MPI_Cancel(&request));
        static_cast<void>(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }

    [[nodiscard]] int count() const { return static_cast<int>(handles_.size()); }

    std::vector<MPI_Request> handles_;
};

}  // namespace halocline::mpi
