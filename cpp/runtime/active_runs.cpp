#include "runtime/active_runs.hpp"

#include <algorithm>

namespace halocline {
namespace {

/// Lists the cells of a box row by row, after others.
template <typename T>
void list_runs(const halocline_field& view, const Box& box,
               std::vector<halocline_active_run>& active_runs) {
    std::int64_t before = 0;
    if (!active_runs.empty()) {
        const halocline_active_run& last = active_runs.back();
        before = last.before + (last.upper - last.lower);
    }
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
            const T* const row = static_cast<const T*>(view.data) + y * view.y + z * view.z;
            const auto is_in = [&](std::int64_t x) { return row[x * view.x] != T{}; };
            for (std::int64_t x = box.lower[0]; x < box.upper[0];) {
                if (!is_in(x)) {
                    ++x;
                    continue;
                }
                const std::int64_t first = x;
                while (x < box.upper[0] && is_in(x)) ++x;
                active_runs.push_back({first, x, y, z, before});
                before += x - first;
            }
        }
    }
}

/// Lists the cells of a box tile by tile.
template <typename T>
std::vector<halocline_active_run> list_tiles(const halocline_field& view, const Box& box,
                                             const Tile& tile) {
    std::vector<halocline_active_run> active_runs;
    const auto size = [&](std::size_t axis) {
        return tile[axis] > 0 ? tile[axis] : std::max<std::int64_t>(1, box.extent()[axis]);
    };
    Box part = box;
    for (std::int64_t x = box.lower[0]; x < box.upper[0]; x += size(0)) {
        part.lower[0] = x, part.upper[0] = std::min(x + size(0), box.upper[0]);
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; y += size(1)) {
            part.lower[1] = y, part.upper[1] = std::min(y + size(1), box.upper[1]);
            list_runs<T>(view, part, active_runs);
        }
    }
    return active_runs;
}

}  // namespace

std::vector<halocline_active_run> active_runs_of(const halocline_field& view, ElementType type,
                                                 const Box& box, const Tile& tile) {
    std::vector<halocline_active_run> active_runs =
        with_type(type, [&]<typename T>(T) { return list_tiles<T>(view, box, tile); });
    // A call without active runs would mean the whole box.
    if (active_runs.empty())
        active_runs.push_back({box.lower[0], box.lower[0], box.lower[1], box.lower[2], 0});
    return active_runs;
}

}  // namespace halocline
