#pragma once

#include <cstddef>
#include <cstdint>

#include "pgas/align.hpp"

namespace halocline::pgas {

/// Memory given out in pieces, whose bookkeeping lies in it, so that other processes that have it
/// at the same address can use it too. First fit in a list of free blocks; blocks that become
/// free join their neighbours (boundary tags; Knuth, The Art of Computer Programming 1, 2.5).
///
/// The same calls lead to the same addresses: so coarrays lie at the same place in all images
/// without a word among them. Not locked.
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
    /// How many pieces have been given out and taken back so far.
    [[nodiscard]] std::int64_t calls() const { return calls_; }

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
    void list(Tag* block);
    void unlist(Tag* block);
    void split(Tag* block, std::int64_t bytes);

    std::int64_t bytes_;
    std::int64_t used_bytes_;
    std::int64_t calls_;
    Tag* free_;
};

}  // namespace halocline::pgas
