#include "pgas/collective.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

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
    [[nodiscard]] Section flat() { return without_gaps(array_, copy_.get()); }

    Section array_;
    std::size_t bytes_;
    std::unique_ptr<std::byte[]> copy_;
};

/// Elements of any size go through pieces of whole elements, or of bytes if they are larger.
std::size_t piece_of(std::size_t element_bytes) {
    return element_bytes > piece_bytes ? piece_bytes : piece_bytes / element_bytes * element_bytes;
}

Outcome broadcast_piece(Team& team, std::byte* here, std::size_t bytes, int source) {
    if (team.spans_nodes()) {
        team.job().network()->broadcast(team.network_team(), source, here, bytes);
        return Outcome::done;
    }
    Team::Round round(team);
    if (team.me() == source) {
        std::memcpy(round.mine(), here, bytes);
        round.offer();
    } else if (const std::byte* piece = round.of(source); piece != nullptr) {
        std::memcpy(here, piece, bytes);
    }
    return round.end();
}

/// Elements that are combined in one round.
struct Piece {
    std::byte* here;
    std::size_t bytes;
    std::size_t element_bytes;

    [[nodiscard]] std::size_t count() const { return bytes / element_bytes; }
};

Outcome reduce_on_node(Team& team, const Piece& piece, const Combine& combine, bool is_mine) {
    Team::Round round(team);
    std::memcpy(round.mine(), piece.here, piece.bytes);
    round.offer();
    bool is_first = true;
    for (int i = 0; i < team.size() && is_mine; ++i) {
        const std::byte* theirs = round.of(i);
        if (theirs == nullptr) continue;
        if (is_first)
            std::memcpy(piece.here, theirs, piece.bytes);
        else
            combine(piece.here, theirs, piece.count());
        is_first = false;
    }
    return round.end();
}

/// Combines what each member has said into what the first has: so many elements, at the beginning
/// of so many bytes a member.
void combine_in_order(std::vector<std::byte>& said, std::size_t bytes, std::size_t count,
                      const Combine& combine) {
    for (std::size_t at = bytes; at < said.size() && count > 0; at += bytes) {
        combine(said.data(), said.data() + at, count);
    }
}

/// Each member combines a share of the elements, in the order of the members: all have the same
/// bits, and none holds more than a piece of what the others have.
void reduce_by_shares(Team& team, const Piece& piece, const Combine& combine, bool is_mine) {
    Network& network = *team.job().network();
    const auto members = static_cast<std::size_t>(team.size());
    const std::size_t share = (piece.count() + members - 1) / members;
    const std::size_t bytes = share * piece.element_bytes;
    std::vector<std::byte> whole(members * bytes);
    std::vector<std::byte> said(members * bytes);
    std::memcpy(whole.data(), piece.here, piece.bytes);
    network.exchange(team.network_team(), whole.data(), bytes, said.data());
    const std::size_t first = std::min(piece.count(), static_cast<std::size_t>(team.me()) * share);
    combine_in_order(said, bytes, std::min(share, piece.count() - first), combine);
    network.gather(team.network_team(), said.data(), bytes, whole.data());
    if (is_mine) std::memcpy(piece.here, whole.data(), piece.bytes);
}

Outcome reduce_over_network(Team& team, const Piece& piece, const Combine& combine, bool is_mine) {
    const std::size_t bytes = piece.bytes * static_cast<std::size_t>(team.size());
    if (bytes > piece_bytes) {
        reduce_by_shares(team, piece, combine, is_mine);
        return Outcome::done;
    }
    std::vector<std::byte> said(bytes);
    team.job().network()->gather(team.network_team(), piece.here, piece.bytes, said.data());
    combine_in_order(said, piece.bytes, piece.count(), combine);
    if (is_mine) std::memcpy(piece.here, said.data(), piece.bytes);
    return Outcome::done;
}

}  // namespace

Outcome gather(Team& team, const std::byte* mine, std::size_t count, std::byte* all) {
    if (const Outcome outcome = team.meet(); outcome != Outcome::done) return outcome;
    if (team.spans_nodes()) {
        team.job().network()->gather(team.network_team(), mine, count, all);
        return Outcome::done;
    }
    Team::Round round(team);
    std::memcpy(round.mine(), mine, count);
    round.offer();
    for (int i = 0; i < team.size(); ++i) {
        const std::byte* piece = round.of(i);
        if (piece != nullptr) std::memcpy(all + static_cast<std::size_t>(i) * count, piece, count);
    }
    return round.end();
}

Outcome broadcast(Team& team, const Section& array, int source) {
    Packed packed(array);
    Outcome outcome = team.meet();
    if (outcome != Outcome::done) return outcome;
    for (std::size_t at = 0; at < packed.bytes(); at += piece_bytes) {
        const std::size_t bytes = std::min(piece_bytes, packed.bytes() - at);
        outcome = graver(outcome, broadcast_piece(team, packed.first() + at, bytes, source));
    }
    if (team.me() != source) packed.restore();
    return outcome;
}

Outcome reduce(Team& team, const Section& array, const Combine& combine, int result) {
    Packed packed(array);
    const std::size_t element = array.element.bytes;
    const std::size_t whole = piece_of(element);
    const bool is_mine = result == all_members || result == team.me();
    Outcome outcome = team.meet();
    if (outcome != Outcome::done) return outcome;
    for (std::size_t at = 0; at < packed.bytes(); at += whole) {
        const Piece piece{packed.first() + at, std::min(whole, packed.bytes() - at), element};
        outcome =
            graver(outcome, team.spans_nodes() ? reduce_over_network(team, piece, combine, is_mine)
                                               : reduce_on_node(team, piece, combine, is_mine));
    }
    if (is_mine) packed.restore();
    return outcome;
}

}  // namespace halocline::pgas
