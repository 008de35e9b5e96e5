#pragma once

#include <algorithm>
#include <vector>

#include "core/box.hpp"

namespace halocline {

/// A periodic translation: a cell and the one `way` further along are the same.
struct Translation {
    int axis = 0;
    Index3 way{};

    /// Whether it moves along its own axis alone.
    [[nodiscard]] bool is_straight() const { return std::ranges::count(way, 0) == 2; }
};

/// Some cells, and how far they lie from their images.
struct TranslatedBox {
    Box box;
    Index3 away{};
};

/// Cuts a box where a translation that is not straight begins: so that each part has its image in
/// the domain along these axes. No translation moves along the axis of one before it.
[[nodiscard]] inline std::vector<TranslatedBox> cut_at_translations(
    const Box& box, const std::vector<Translation>& translations) {
    std::vector<TranslatedBox> parts{{box, {}}};
    for (const Translation& translation : translations) {
        if (translation.is_straight()) continue;
        const auto axis = static_cast<std::size_t>(translation.axis);
        const std::int64_t period = translation.way[axis];
        std::vector<TranslatedBox> cut;
        for (const TranslatedBox& part : parts) {
            const std::int64_t lower = part.box.lower[axis] - part.away[axis];
            const std::int64_t upper = part.box.upper[axis] - part.away[axis];
            const std::int64_t first = lower / period - (lower % period < 0 ? 1 : 0);
            for (std::int64_t times = first; times * period < upper; ++times) {
                TranslatedBox next{part.box, part.away + times * translation.way};
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
