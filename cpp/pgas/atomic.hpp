#pragma once

#include <cstddef>
#include <cstdint>

#include "pgas/job.hpp"
#include "pgas/network.hpp"

namespace halocline::pgas {

/// A number of 4 or 8 bytes in the memory of an image, with which several images may work at once.
class Atomic {
public:
    Atomic(Job& job, int image, void* address, std::size_t bytes)
        : job_(job), image_(image), address_(static_cast<std::byte*>(address)), bytes_(bytes) {}

    /// Combines it with a value; returns what it was.
    std::uint64_t fetch(Operation operation, std::uint64_t value) const;
    [[nodiscard]] std::uint64_t read() const;
    /// Replaces it if it is the expected one; returns what it was.
    std::uint64_t compare_and_swap(std::uint64_t expected, std::uint64_t value) const;

private:
    [[nodiscard]] std::ptrdiff_t place() const { return address_ - job_.block().memory(image_); }

    Job& job_;
    int image_;
    std::byte* address_;
    std::size_t bytes_;
};

}  // namespace halocline::pgas
