#include "pgas/heap.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "pgas/mixed.hpp"

namespace halocline::pgas {
namespace {

// Larger pieces ask for large pages, and give their memory back to the system.
constexpr std::int64_t large_bytes = 4 * huge_page_bytes;

/// The whole pages of a piece that are advised about.
void advise(std::byte* piece, std::int64_t bytes, int advice) {
    const auto from = round_up(reinterpret_cast<std::intptr_t>(piece), huge_page_bytes);
    const auto end =
        (reinterpret_cast<std::intptr_t>(piece) + bytes) / huge_page_bytes * huge_page_bytes;
    if (end <= from) return;
    static_cast<void>(
        madvise(reinterpret_cast<void*>(from), static_cast<std::size_t>(end - from), advice));
}

}  // namespace

std::int64_t Heap::tags_of_heap() {
    return round_up(static_cast<std::int64_t>(sizeof(Heap)), tag_bytes) / tag_bytes;
}

void Heap::begin(std::int64_t bytes) {
    bytes_ = bytes;
    used_bytes_ = 0;
    digest_ = 0;
    free_ = nullptr;
    Tag* all = first();
    all->bytes = bytes / tag_bytes * tag_bytes - tags_of_heap() * tag_bytes;
    all->before = 0;
    list_after(nullptr, all);
}

Heap::Tag* Heap::after(Tag* block) {
    Tag* next = block + block->bytes / tag_bytes;
    const auto* end = reinterpret_cast<std::byte*>(this) + bytes_ / tag_bytes * tag_bytes;
    return reinterpret_cast<std::byte*>(next) < end ? next : nullptr;
}

/// Sums of these tell apart which pieces are in use, not in which order they were given out.
std::uint64_t Heap::digest_of(const Tag* block) const {
    const std::uint64_t place =
        reinterpret_cast<const std::byte*>(block) - reinterpret_cast<const std::byte*>(this);
    return mixed(place ^ mixed(static_cast<std::uint64_t>(block->bytes)));
}

/// The last free block before this one, or null. It is sought in the list and among the blocks
/// before this one at once, since either way may be long.
Heap::Tag* Heap::free_before(Tag* block) const {
    Tag* last = nullptr;
    Tag* near = block;
    for (Tag* next = free_; next != nullptr && next < block; next = next->next) {
        last = next;
        near -= near->before / tag_bytes;
        if (near->is_free) return near;
    }
    return last;
}

void Heap::list_after(Tag* previous, Tag* block) {
    block->is_free = true;
    block->previous = previous;
    Tag*& place = previous == nullptr ? free_ : previous->next;
    block->next = place;
    place = block;
    if (block->next != nullptr) block->next->previous = block;
}

void Heap::unlist(Tag* block) {
    block->is_free = false;
    (block->previous == nullptr ? free_ : block->previous->next) = block->next;
    if (block->next != nullptr) block->next->previous = block->previous;
}

void Heap::split(Tag* block, std::int64_t bytes) {
    if (block->bytes - bytes < 2 * tag_bytes) return;
    Tag* rest = block + bytes / tag_bytes;
    rest->bytes = block->bytes - bytes;
    rest->before = bytes;
    block->bytes = bytes;
    if (Tag* next = after(rest); next != nullptr) next->before = rest->bytes;
    list_after(block, rest);
}

std::byte* Heap::allocate(std::int64_t bytes) {
    if (bytes < 0 || bytes > bytes_) return nullptr;
    const std::int64_t wanted = tag_bytes + round_up(std::max<std::int64_t>(bytes, 1), tag_bytes);
    Tag* block = free_;
    while (block != nullptr && block->bytes < wanted) block = block->next;
    if (block == nullptr) return nullptr;
    split(block, wanted);
    unlist(block);
    block->note = nullptr;
    used_bytes_ += block->bytes;
    digest_ += digest_of(block);
    auto* piece = reinterpret_cast<std::byte*>(block + 1);
    if (wanted >= large_bytes) advise(piece, wanted, MADV_HUGEPAGE);
    return piece;
}

void Heap::free(std::byte* piece) {
    Tag* block = reinterpret_cast<Tag*>(piece) - 1;
    used_bytes_ -= block->bytes;
    digest_ -= digest_of(block);
    if (block->bytes >= large_bytes) advise(piece, block->bytes - tag_bytes, MADV_REMOVE);
    if (Tag* next = after(block); next != nullptr && next->is_free) {
        unlist(next);
        block->bytes += next->bytes;
    }
    Tag* before = block->before == 0 ? nullptr : block - block->before / tag_bytes;
    if (before != nullptr && before->is_free) {
        before->bytes += block->bytes;
        block = before;
    } else {
        list_after(free_before(block), block);
    }
    if (Tag* next = after(block); next != nullptr) next->before = block->bytes;
}

void*& Heap::note_of(std::byte* piece) {
    return (reinterpret_cast<Tag*>(piece) - 1)->note;
}

bool Heap::has(const void* address) const {
    const auto* byte = static_cast<const std::byte*>(address);
    const auto* begin = reinterpret_cast<const std::byte*>(this);
    return byte >= begin && byte < begin + bytes_;
}

}  // namespace halocline::pgas
