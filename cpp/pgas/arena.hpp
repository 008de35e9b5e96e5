#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace halocline::pgas {

/// Memory that other processes of the machine can map: a file without a name, handed out in
/// pieces. Pieces outlive the arena; new processes can map it only while it lives.
class Arena {
public:
    /// Throws TransportError if the system has no such memory.
    Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    /// A piece that begins at a page and is filled with zeros.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::int64_t size_bytes);
    /// Gathers what a piece holds into large pages, if it can; to be called once it is filled, so
    /// that the threads which have touched it first decide where it lies.
    static void enlarge_pages(std::byte* piece, std::int64_t size_bytes);
    /// Where an address in one of the pieces lies in the file [bytes].
    [[nodiscard]] std::int64_t offset_of(const void* address) const;
    [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    struct Piece {
        const std::byte* first;
        std::int64_t size_bytes;
        std::int64_t offset;
    };

    int descriptor_ = -1;
    std::int64_t size_bytes_ = 0;
    std::vector<Piece> pieces_;
};

/// The arena of another process, mapped as a whole.
class Mapping {
public:
    /// Throws TransportError if the other process does not exist or may not be looked into.
    Mapping(std::int64_t process, int descriptor, std::int64_t size_bytes);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    [[nodiscard]] std::byte* at(std::int64_t offset) const { return first_ + offset; }

private:
    std::byte* first_ = nullptr;
    std::size_t size_bytes_;
};

}  // namespace halocline::pgas
