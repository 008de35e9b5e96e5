#pragma once

#include <algorithm>
#include <vector>

#include "core/box.hpp"

namespace halocline {

/// Once around a periodic grid: a cell and the one `way` further along are the same.
struct Turn {
    int axis = 0;
    Index3 way{};

    /// Whether it ends where it began.
    [[nodiscard]] bool is_straight() const { return std::ranges::count(way, 0) == 2; }
};

/// Some cells, and how far they lie from their images.
struct Turned {
    Box box;
    Index3 away{};
};

/// Cuts a box where a turn that is not straight begins: so that each part has its image in the
/// domain along these axes. No turn moves along the axis of one before it.
[[nodiscard]] inline std::vector<Turned> cut_at_turns(const Box& box,
                                                      const std::vector<Turn>& turns) {
    std::vector<Turned> parts{{box, {}}};
    for (const Turn& turn : turns) {
        if (turn.is_straight()) continue;
        const auto axis = static_cast<std::size_t>(turn.axis);
        const std::int64_t period = turn.way[axis];
        std::vector<Turned> cut;
        for (const Turned& part : parts) {
            const std::int64_t lower = part.box.lower[axis] - part.away[axis];
            const std::int64_t upper = part.box.upper[axis] - part.away[axis];
            const std::int64_t first = lower / period - (lower % period < 0 ? 1 : 0);
            for (std::int64_t times = first; times * period < upper; ++times) {
                Turned next{part.box, part.away + times * turn.way};
                const std::int64_t begin = times * period + part.away[axis];
                next.box.lower[axis] = std::max(part.box.lower[axis], begin);
                next.box.upper[axis] = std::min(part.box.upper[axis], begin + period);
                cut.push_back(next);
            }
        }
        parts = std::move(cut);
    }
    return parts;
}

}  // namespace halocline
