#pragma once

#include <cstring>

#include "pgas/job.hpp"
#include "pgas/section.hpp"

namespace halocline::pgas {

/// A section in the memory of an image of the initial team.
struct Elements {
    int image;
    Section section;
};

/// Assigns a section of one image to one of another, which may both be far from this one.
void transfer(Job& job, const Elements& to, const Elements& from);

/// Copies bytes of an image's memory.
void read_bytes(Job& job, int image, const std::byte* address, std::byte* to, std::size_t bytes);

/// A value in an image's memory.
template <class T>
T read_value(Job& job, int image, const void* address) {
    T value;
    read_bytes(job, image, static_cast<const std::byte*>(address),
               reinterpret_cast<std::byte*>(&value), sizeof(T));
    return value;
}

}  // namespace halocline::pgas
