#pragma once

#include <cstddef>
#include <cstdint>

#include "pgas/align.hpp"

namespace halocline::pgas {

/// Memory given out in pieces, whose bookkeeping lies in it, so that other processes that have it
/// at the same address can use it too. First fit in a list of free blocks in the order of their
/// addresses; blocks that become free join their neighbours (boundary tags; Knuth, The Art of
/// Computer Programming 1, 2.5).
///
/// Where a piece lies follows from its size and from the pieces in use, whatever was freed before:
/// so coarrays lie at the same place in all images without a word among them, also after teams
/// that have allocated other coarrays than their siblings. Not locked.
class Heap {
public:
    /// Takes over memory filled with zeros.
    void begin(std::int64_t bytes);

    /// A piece that begins at a cache line, or null if there is none of this size.
    [[nodiscard]] std::byte* allocate(std::int64_t bytes);
    void free(std::byte* piece);

    /// A word that a piece carries until it is freed; null at first.
    static void*& note_of(std::byte* piece);

    [[nodiscard]] bool has(const void* address) const;
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// What is in use, with its bookkeeping [bytes].
    [[nodiscard]] std::int64_t used_bytes() const { return used_bytes_; }
    /// A number that follows from the places and sizes of the pieces in use.
    [[nodiscard]] std::uint64_t digest() const { return digest_; }

private:
    /// Stands before each block.
    struct alignas(line_bytes) Tag {
        std::int64_t bytes;   ///< of the block with its tag
        std::int64_t before;  ///< of the block before; 0 for the first
        bool is_free;
        Tag* next;  ///< of those that are free
        Tag* previous;
        void* note;  ///< of those that are not
    };
    static constexpr auto tag_bytes = static_cast<std::int64_t>(sizeof(Tag));

    [[nodiscard]] Tag* first() { return reinterpret_cast<Tag*>(this) + tags_of_heap(); }
    [[nodiscard]] Tag* after(Tag* block);
    static std::int64_t tags_of_heap();
    [[nodiscard]] std::uint64_t digest_of(const Tag* block) const;
    [[nodiscard]] Tag* free_before(Tag* block) const;
    void list_after(Tag* previous, Tag* block);
    void unlist(Tag* block);
    void split(Tag* block, std::int64_t bytes);

    std::int64_t bytes_;
    std::int64_t used_bytes_;
    std::uint64_t digest_;
    Tag* free_;  ///< the first one
};

}  // namespace halocline::pgas
