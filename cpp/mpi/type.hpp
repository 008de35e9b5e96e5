#pragma once

#include <mpi.h>

#include <utility>

#include "mpi/error.hpp"

namespace halocline::mpi {

/// A derived type of MPI.
class Type {
public:
    explicit Type(MPI_Datatype handle) : handle_(handle) {}
    Type(Type&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
    Type& operator=(Type&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;
    ~Type() {
        int is_finalized = 0;
        if (handle_ == MPI_DATATYPE_NULL || MPI_Finalized(&is_finalized) != MPI_SUCCESS) return;
        if (is_finalized == 0) static_cast<void>(MPI_Type_free(&handle_));
    }

    [[nodiscard]] MPI_Datatype handle() const { return handle_; }

    /// Makes it fit for messages.
    void commit() { check(MPI_Type_commit(&handle_)); }

private:
    MPI_Datatype handle_;
};

}  // namespace halocline::mpi
