#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "mpi/error.hpp"

namespace halocline::mpi {

/// Messages in flight, in groups; their buffers must outlive this object.
class Requests {
public:
    /// Those of one-sided communication cannot be cancelled.
    explicit Requests(bool can_cancel = true) : can_cancel_(can_cancel) {}
    Requests(Requests&&) noexcept = default;
    Requests& operator=(Requests&&) = delete;
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests() {
        int is_finalized = 0;
        if (MPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0) return;
        for (MPI_Request& request : handles_) finish(request);
    }

    /// Adds a group of so many requests that are not in use.
    void add_group(std::size_t count) {
        first_.push_back(handles_.size());
        handles_.resize(handles_.size() + count, MPI_REQUEST_NULL);
    }
    [[nodiscard]] std::span<MPI_Request> group(std::size_t i) {
        const std::size_t end = i + 1 < first_.size() ? first_[i + 1] : handles_.size();
        return std::span(handles_).subspan(first_[i], end - first_[i]);
    }

    /// Whether none of the group is in flight.
    [[nodiscard]] bool is_idle(std::size_t i) {
        return std::ranges::all_of(group(i), [](MPI_Request it) { return it == MPI_REQUEST_NULL; });
    }
    /// Lets messages progress; true when all of the group are complete.
    [[nodiscard]] bool test(std::size_t i) { return test(group(i)); }
    /// Lets messages progress; true when all are complete.
    [[nodiscard]] bool test_all() { return test(std::span(handles_)); }
    void wait_all() {
        check(MPI_Waitall(static_cast<int>(handles_.size()), handles_.data(), MPI_STATUSES_IGNORE));
    }

private:
    [[nodiscard]] static bool test(std::span<MPI_Request> requests) {
        int is_done = 0;
        check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done,
                          MPI_STATUSES_IGNORE));
        return is_done != 0;
    }

    /// A buffer must not be freed while MPI uses it. After an error the other side may never
    /// answer, so waiting could hang: then the job ends.
    void finish(MPI_Request& request) const {
        if (request == MPI_REQUEST_NULL) return;
        int is_done = 0;
        if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_done == 0) {
            if (std::uncaught_exceptions() > 0) static_cast<void>(MPI_Abort(MPI_COMM_WORLD, 1));
            if (can_cancel_) static_cast<void>(MPI_Cancel(&request));
            static_cast<void>(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        // Persistent ones are still there when they are complete.
        if (request != MPI_REQUEST_NULL) static_cast<void>(MPI_Request_free(&request));
    }

    bool can_cancel_;
    std::vector<MPI_Request> handles_;
    std::vector<std::size_t> first_;
};

}  // namespace halocline::mpi
