#include "pgas/collective.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace halocline::pgas {
namespace {

bool has_no_gaps(const Section& section) {
    auto stride = static_cast<std::int64_t>(section.element.bytes);
    for (int a = 0; a < section.rank; ++a) {
        const Axis& axis = section.axes[static_cast<std::size_t>(a)];
        if (axis.offsets != nullptr || (axis.stride != stride && axis.count != 1)) return false;
        stride *= axis.count;
    }
    return true;
}

/// An array without gaps: itself, or a copy.
class Packed {
public:
    explicit Packed(const Section& array)
        : array_(array), bytes_(static_cast<std::size_t>(array.count()) * array.element.bytes) {
        if (has_no_gaps(array)) return;
        copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
        assign(flat(), array_);
    }
    [[nodiscard]] std::byte* first() { return copy_ ? copy_.get() : array_.first; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Puts what has changed where it belongs.
    void restore() {
        if (copy_) assign(array_, flat());
    }

private:
    [[nodiscard]] Section flat() {
        Section result = array_;
        result.first = copy_.get();
        auto stride = static_cast<std::int64_t>(array_.element.bytes);
        for (int a = 0; a < array_.rank; ++a) {
            Axis& axis = result.axes[static_cast<std::size_t>(a)];
            axis = {axis.count, stride, nullptr};
            stride *= axis.count;
        }
        return result;
    }

    Section array_;
    std::size_t bytes_;
    std::unique_ptr<std::byte[]> copy_;
};

/// Elements of any size go through pieces of whole elements, or of bytes if they are larger.
std::size_t piece_of(std::size_t element_bytes) {
    return element_bytes > piece_bytes ? piece_bytes : piece_bytes / element_bytes * element_bytes;
}

/// All have a result, but the program is to hear that it lacks what a failed member would have
/// had to say, even if only others needed that.
Outcome with_failures(Outcome outcome, const Team& team) {
    return team.has_failed_member() ? graver(outcome, Outcome::failed) : outcome;
}

}  // namespace

Outcome broadcast(Team& team, const Section& array, int source) {
    Packed packed(array);
    auto outcome = Outcome::done;
    for (std::size_t at = 0; at < packed.bytes(); at += piece_bytes) {
        const std::size_t bytes = std::min(piece_bytes, packed.bytes() - at);
        Team::Round round(team);
        if (team.me() == source) {
            std::memcpy(round.mine(), packed.first() + at, bytes);
            round.offer();
        } else if (const std::byte* piece = round.of(source); piece != nullptr) {
            std::memcpy(packed.first() + at, piece, bytes);
        }
        round.end();
        outcome = graver(outcome, round.outcome());
    }
    if (team.me() != source) packed.restore();
    return with_failures(outcome, team);
}

Outcome reduce(Team& team, const Section& array, const Combine& combine, int result) {
    Packed packed(array);
    const std::size_t element = array.element.bytes;
    const std::size_t whole = piece_of(element);
    const bool is_mine = result == all_members || result == team.me();
    auto outcome = Outcome::done;
    for (std::size_t at = 0; at < packed.bytes(); at += whole) {
        const std::size_t bytes = std::min(whole, packed.bytes() - at);
        std::byte* here = packed.first() + at;
        Team::Round round(team);
        std::memcpy(round.mine(), here, bytes);
        round.offer();
        bool is_first = true;
        for (int i = 0; i < team.size() && is_mine; ++i) {
            const std::byte* piece = round.of(i);
            if (piece == nullptr) continue;
            if (is_first)
                std::memcpy(here, piece, bytes);
            else
                combine(here, piece, bytes / element);
            is_first = false;
        }
        round.end();
        outcome = graver(outcome, round.outcome());
    }
    if (is_mine) packed.restore();
    return with_failures(outcome, team);
}

}  // namespace halocline::pgas
