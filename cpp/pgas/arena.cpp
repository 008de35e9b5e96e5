#include "pgas/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <stdexcept>
#include <string>

#include "pgas/align.hpp"
#include "pgas/error.hpp"
#include "pgas/shared_file.hpp"

namespace halocline::pgas {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw TransportError(what + ": " + std::strerror(errno));
}

/// Addresses that begin at a large page, as large pages must; null if there are none.
std::byte* reserve(std::size_t size) {
    constexpr auto unit = static_cast<std::size_t>(huge_page_bytes);
    const std::size_t more = size + unit;
    void* reserved = mmap(nullptr, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserved == MAP_FAILED) return nullptr;
    auto* first = static_cast<std::byte*>(reserved);
    const auto address = reinterpret_cast<std::uintptr_t>(first);
    const std::size_t before = (unit - address % unit) % unit;
    if (before > 0) static_cast<void>(munmap(first, before));
    static_cast<void>(munmap(first + before + size, more - before - size));
    return first + before;
}

/// Maps a part of a file for all who map it; null if that fails.
std::byte* map(int descriptor, std::int64_t offset, std::size_t size) {
    std::byte* wanted = reserve(size);
    if (wanted == nullptr) return nullptr;
    void* memory =
        mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, offset);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

Arena::Arena() : descriptor_(create_shared_file(false)) {
    if (descriptor_ < 0) fail("Memory that other processes can map was refused");
}

Arena::~Arena() {
    static_cast<void>(close(descriptor_));
}

std::shared_ptr<std::byte> Arena::allocate(std::int64_t size_bytes) {
    // So that large pieces can have large pages.
    const std::int64_t unit = size_bytes >= huge_page_bytes ? huge_page_bytes : page_bytes;
    const std::int64_t offset = round_up(size_bytes_, unit);
    const std::int64_t whole = round_up(size_bytes, unit);
    const auto size = static_cast<std::size_t>(whole);
    if (ftruncate(descriptor_, offset + whole) != 0) fail("Shared memory could not grow");
    std::byte* memory = map(descriptor_, offset, size);
    if (memory == nullptr) fail("Shared memory could not be mapped");
    size_bytes_ = offset + whole;
    pieces_.push_back({memory, whole, offset});
    return {memory, [size](std::byte* first) {
                // Without the advice the file keeps what a piece held as long as there is an arena.
                static_cast<void>(madvise(first, size, MADV_REMOVE));
                static_cast<void>(munmap(first, size));
            }};
}

void Arena::enlarge_pages(std::byte* piece, std::int64_t size_bytes) {
    // Most systems give shared memory no large pages unless this asks for them, from Linux 6.1 on.
    constexpr int collapse = 25;  // MADV_COLLAPSE, which older headers lack
    if (size_bytes < huge_page_bytes) return;
    // Such pieces are whole large pages. Advice only: without them everything still works.
    const auto whole = static_cast<std::size_t>(round_up(size_bytes, huge_page_bytes));
    static_cast<void>(madvise(piece, whole, collapse));
}

std::int64_t Arena::offset_of(const void* address) const {
    const auto* wanted = static_cast<const std::byte*>(address);
    // The newest first: it may lie where one was that has been given back.
    for (const Piece& piece : std::views::reverse(pieces_)) {
        if (wanted >= piece.first && wanted < piece.first + piece.size_bytes) {
            return piece.offset + (wanted - piece.first);
        }
    }
    throw std::logic_error("This address is in no shared memory.");
}

Mapping::Mapping(std::int64_t process, int descriptor, std::int64_t size_bytes)
    : size_bytes_(static_cast<std::size_t>(size_bytes)) {
    const int opened = open_shared_file(process, descriptor);
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

}  // namespace halocline::pgas
