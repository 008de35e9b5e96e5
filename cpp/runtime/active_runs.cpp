#include "runtime/active_runs.hpp"

namespace halocline {
namespace {

/// Lists the cells row by row.
template <typename T>
std::vector<halocline_active_run> list_spans(const halocline_field& view, const Box& box) {
    std::vector<halocline_active_run> active_runs;
    std::int64_t before = 0;
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
    return active_runs;
}

}  // namespace

std::vector<halocline_active_run> active_runs_of(const halocline_field& view, ElementType type,
                                                 const Box& box) {
    std::vector<halocline_active_run> active_runs =
        with_type(type, [&]<typename T>(T) { return list_spans<T>(view, box); });
    // A call without active runs would mean the whole box.
    if (active_runs.empty())
        active_runs.push_back({box.lower[0], box.lower[0], box.lower[1], box.lower[2], 0});
    return active_runs;
}

}  // namespace halocline
