#include "core/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/error.hpp"

namespace halocline {
namespace {

/// Pieces begin at multiples of this, so that large ones can have large pages.
constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t huge_page_bytes = std::int64_t{1} << 21;

[[noreturn]] void fail(const std::string& what) {
    throw TransportError(what + ": " + std::strerror(errno));
}

/// Maps a part of a file for all who map it; null if that fails.
std::byte* map(int descriptor, std::int64_t offset, std::size_t size) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

Arena::Arena() : descriptor_(memfd_create("halocline", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("Memory that other processes can map was refused");
}

Arena::~Arena() {
    static_cast<void>(close(descriptor_));
}

std::shared_ptr<std::byte> Arena::allocate(std::int64_t size_bytes) {
    const std::int64_t unit = size_bytes >= huge_page_bytes ? huge_page_bytes : page_bytes;
    const std::int64_t offset = (size_bytes_ + unit - 1) / unit * unit;
    const std::int64_t whole = (size_bytes + unit - 1) / unit * unit;
    const auto size = static_cast<std::size_t>(whole);
    if (ftruncate(descriptor_, offset + whole) != 0) fail("Shared memory could not grow");
    std::byte* memory = map(descriptor_, offset, size);
    if (memory == nullptr) fail("Shared memory could not be mapped");
    // Advice only: without huge pages everything still works.
    if (unit == huge_page_bytes) static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));
    size_bytes_ = offset + whole;
    pieces_.push_back({memory, whole, offset});
    return {memory, [size](std::byte* first) { static_cast<void>(munmap(first, size)); }};
}

std::int64_t Arena::offset_of(const void* address) const {
    const auto* wanted = static_cast<const std::byte*>(address);
    for (const Piece& piece : pieces_) {
        if (wanted >= piece.first && wanted < piece.first + piece.size_bytes) {
            return piece.offset + (wanted - piece.first);
        }
    }
    throw std::logic_error("This address is in no shared memory.");
}

Mapping::Mapping(std::int64_t process, int descriptor, std::int64_t size_bytes)
    : size_bytes_(static_cast<std::size_t>(size_bytes)) {
    const std::string path =
        "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
    const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) fail("The memory of process " + std::to_string(process) + " cannot be opened");
    first_ = map(opened, 0, size_bytes_);
    const int error = errno;
    static_cast<void>(close(opened));
    errno = error;
    if (first_ == nullptr) {
        fail("The memory of process " + std::to_string(process) + " cannot be mapped");
    }
}

Mapping::~Mapping() {
    static_cast<void>(munmap(first_, size_bytes_));
}

}  // namespace halocline
