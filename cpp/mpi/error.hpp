#pragma once

#include <mpi.h>

#include <array>
#include <source_location>
#include <string>

#include "pgas/error.hpp"

namespace halocline::mpi {

/// Throws TransportError with MPI's own text if `code` is not success.
inline void check(int code, const std::source_location& where = std::source_location::current()) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
    throw TransportError(std::string(text.data(), static_cast<std::size_t>(length)) + " (" +
                         where.file_name() + ":" + std::to_string(where.line()) + ")");
}

}  // namespace halocline::mpi
