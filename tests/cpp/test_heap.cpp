#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <new>
#include <random>

#include "pgas/heap.hpp"

namespace halocline::pgas {
namespace {

constexpr std::int64_t bytes = std::int64_t{1} << 20;

/// A heap in memory of its own.
class OwnHeap {
public:
    OwnHeap() : memory_(static_cast<std::byte*>(operator new (bytes, std::align_val_t{4096}))) {
        std::fill_n(memory_.get(), bytes, std::byte{0});
        heap_ = reinterpret_cast<Heap*>(memory_.get());
        heap_->begin(bytes);
    }
    Heap* operator->() { return heap_; }
    [[nodiscard]] std::byte* at(std::ptrdiff_t place) const { return memory_.get() + place; }

private:
    struct Free {
        void operator()(std::byte* memory) const {
            operator delete (memory, std::align_val_t{4096});
        }
    };
    std::unique_ptr<std::byte, Free> memory_;
    Heap* heap_;
};

/// Allocates and frees at random; says where the pieces lie that are left.
std::map<std::ptrdiff_t, std::int64_t> play(OwnHeap& heap, unsigned seed) {
    std::mt19937 random(seed);
    std::map<std::byte*, std::int64_t> pieces;
    for (int i = 0; i < 2000; ++i) {
        if (random() % 3 != 0 || pieces.empty()) {
            const auto wanted = static_cast<std::int64_t>(random() % 20000);
            if (std::byte* piece = heap->allocate(wanted)) pieces[piece] = wanted;
        } else {
            auto piece =
                std::next(pieces.begin(), static_cast<std::ptrdiff_t>(random() % pieces.size()));
            heap->free(piece->first);
            pieces.erase(piece);
        }
    }
    std::map<std::ptrdiff_t, std::int64_t> places;
    const auto* first = reinterpret_cast<const std::byte*>(heap.operator->());
    for (const auto& [piece, size] : pieces) places[piece - first] = size;
    return places;
}

TEST(Heap, pieces_do_not_overlap_and_begin_at_lines) {
    OwnHeap heap;
    std::ptrdiff_t end = 0;
    for (const auto& [place, size] : play(heap, 1)) {
        EXPECT_GE(place, end);
        EXPECT_EQ(place % line_bytes, 0);
        end = place + size;
    }
    EXPECT_LE(end, bytes);
}

TEST(Heap, the_same_calls_lead_to_the_same_places) {
    OwnHeap one;
    OwnHeap other;
    EXPECT_EQ(play(one, 2), play(other, 2));
    EXPECT_EQ(one->used_bytes(), other->used_bytes());
    EXPECT_EQ(one->digest(), other->digest());
}

TEST(Heap, what_was_freed_leaves_no_trace) {
    OwnHeap one;
    OwnHeap other;
    const auto kept = [](OwnHeap& heap) {
        return std::array{heap->allocate(100), heap->allocate(5000), heap->allocate(100)};
    };
    kept(other);
    const std::uint64_t digest = other->digest();
    const auto pieces = kept(one);
    for (const unsigned seed : {4U, 5U}) {
        for (const auto& [place, size] : play(one, seed)) one->free(one.at(place));
        EXPECT_EQ(one->digest(), digest);
    }
    one->free(pieces[1]);
    EXPECT_NE(one->digest(), digest);
    EXPECT_EQ(one->allocate(5000), pieces[1]);
    EXPECT_EQ(one->digest(), digest);
    EXPECT_EQ(play(one, 6), play(other, 6));
    EXPECT_EQ(one->digest(), other->digest());
}

TEST(Heap, all_of_it_can_be_had_again_once_all_is_freed) {
    OwnHeap heap;
    std::byte* all = heap->allocate(bytes - 4096);
    ASSERT_NE(all, nullptr);
    heap->free(all);
    for (const auto& [place, size] : play(heap, 3)) heap->free(heap.at(place));
    EXPECT_EQ(heap->used_bytes(), 0);
    EXPECT_EQ(heap->allocate(bytes - 4096), all);
}

TEST(Heap, what_does_not_fit_is_refused) {
    OwnHeap heap;
    EXPECT_EQ(heap->allocate(bytes), nullptr);
    EXPECT_EQ(heap->allocate(-1), nullptr);
    EXPECT_EQ(heap->allocate(std::int64_t{1} << 62), nullptr);
}

TEST(Heap, pieces_without_bytes_differ) {
    OwnHeap heap;
    EXPECT_NE(heap->allocate(0), heap->allocate(0));
}

TEST(Heap, a_piece_carries_a_note_until_it_is_freed) {
    OwnHeap heap;
    std::byte* piece = heap->allocate(100);
    EXPECT_EQ(Heap::note_of(piece), nullptr);
    Heap::note_of(piece) = &heap;
    heap->free(piece);
    EXPECT_EQ(Heap::note_of(heap->allocate(100)), nullptr);
}

}  // namespace
}  // namespace halocline::pgas
