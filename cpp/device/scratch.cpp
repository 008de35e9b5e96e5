#include "device/scratch.hpp"

#include "device/launch.hpp"

namespace halocline {
namespace {

constexpr auto number_bytes = static_cast<std::int64_t>(sizeof(std::int64_t));

}  // namespace

std::byte* Scratch::fill(const Pieces& pieces) {
    count_ = 0;
    for (const auto& [count, value] : pieces) count_ += count;
    if (count_ > room_) {
        tables_.clear();
        room_ = 0;
        memory_.reset();
        memory_ = device_.allocate(static_cast<std::int64_t>(count_) * number_bytes);
        room_ = count_;
    }
    const auto [known, is_new] = tables_.try_emplace(pieces);
    if (is_new) known->second = services_.table(moves(pieces));
    services_.move(Device::plain, known->second);
    return memory_.get();
}

std::vector<std::int64_t> Scratch::read(std::size_t first) const {
    return downloaded<std::int64_t>(device_, memory_.get() + first * sizeof(std::int64_t),
                                    count_ - first);
}

std::vector<Move> Scratch::moves(const Pieces& pieces) const {
    std::vector<Move> moves;
    std::byte* first = memory_.get();
    for (const auto& [count, value] : pieces) {
        const Index3 extent{static_cast<std::int64_t>(count), 1, 1};
        moves.push_back({{}, rows_of(first, number_bytes, extent), extent, number_bytes, value});
        first += static_cast<std::int64_t>(count) * number_bytes;
    }
    return moves;
}

}  // namespace halocline
