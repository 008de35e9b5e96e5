#include "runtime/point_lists.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "core/threads.hpp"

namespace halocline {
namespace {

/// What a point moves through the caches, roughly [bytes].
constexpr std::int64_t point_bytes = 128;

/// The images of a point's box that meet some cells, along one axis: how far they are moved.
struct PeriodicImages {
    std::int64_t begin, end;
    PeriodicImages(std::int64_t first, std::int64_t width, std::int64_t lower, std::int64_t upper,
                   std::int64_t period) {
        if (period == 0) {
            begin = 0;
            end = first < upper && first + width > lower ? 1 : 0;
            return;
        }
        const auto floor_div = [](std::int64_t a, std::int64_t b) {
            return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
        };
        // first + t * period + width > lower and first + t * period < upper
        begin = floor_div(lower - first - width, period) + 1;
        end = -floor_div(-(upper - first), period);
    }
};

/// Lists the images of points that meet a box, given with global indices.
void list_injected(const Points& points, std::span<const std::uint32_t> some, const Box& box,
                   const Index3& origin, const Index3& period, const halocline_field& view,
                   PointList& list) {
    const auto at = [&](std::size_t n, std::size_t axis) -> std::int64_t {
        return points.first[3 * n + axis];
    };
    for (const std::uint32_t number : some) {
        const std::size_t n = number;
        const auto images = [&](std::size_t axis) {
            return PeriodicImages(at(n, axis), points.widths[axis], box.lower[axis],
                                  box.upper[axis], period[axis]);
        };
        const PeriodicImages z = images(2);
        if (z.begin >= z.end) continue;
        const PeriodicImages y = images(1);
        if (y.begin >= y.end) continue;
        const PeriodicImages x = images(0);
        for (std::int64_t tz = z.begin; tz < z.end; ++tz) {
            for (std::int64_t ty = y.begin; ty < y.end; ++ty) {
                for (std::int64_t tx = x.begin; tx < x.end; ++tx) {
                    const Index3 lower{at(n, 0) + tx * period[0], at(n, 1) + ty * period[1],
                                       at(n, 2) + tz * period[2]};
                    const bool is_inner = box.contains({lower, lower + points.widths});
                    list.add(n, lower - origin, view, is_inner);
                }
            }
        }
    }
}

/// The same where the grid closes with a shift: the images of a point after some of the
/// translations.
void list_images(const Points& points, std::size_t n, const Box& box, const Index3& origin,
                 std::span<const Translation> translations, const Index3& lower,
                 const halocline_field& view, PointList& list) {
    if (translations.empty()) {
        const Box cells{lower, lower + points.widths};
        if (box.meets(cells)) list.add(n, lower - origin, view, box.contains(cells));
        return;
    }
    const Translation& translation = translations.front();
    const auto axis = static_cast<std::size_t>(translation.axis);
    const PeriodicImages found(lower[axis], points.widths[axis], box.lower[axis], box.upper[axis],
                               translation.way[axis]);
    for (std::int64_t times = found.begin; times < found.end; ++times) {
        list_images(points, n, box, origin, translations.subspan(1),
                    lower + times * translation.way, view, list);
    }
}

void list_injected_across(const Points& points, std::span<const std::uint32_t> some, const Box& box,
                          const Index3& origin, const std::vector<Translation>& translations,
                          const halocline_field& view, PointList& list) {
    for (const std::uint32_t number : some) {
        const std::size_t n = number;
        const std::int32_t* const first = points.first.data() + 3 * n;
        list_images(points, n, box, origin, translations, {first[0], first[1], first[2]}, view,
                    list);
    }
}

/// Lists the points whose cells lie in a box, given with global indices.
void list_interpolated(const Points& points, std::span<const std::uint32_t> some, const Box& box,
                       const Block& block, const halocline_field& view, PointList& list) {
    const Index3& origin = block.box.lower;
    for (const std::uint32_t number : some) {
        const std::size_t n = number;
        const std::int32_t* const cell = points.cells.data() + 3 * n;
        const Index3 place{cell[0], cell[1], cell[2]};
        if (!box.contains({place, place + Index3{1, 1, 1}})) continue;
        const std::int32_t* const first = points.first.data() + 3 * n;
        const Index3 lower = Index3{first[0], first[1], first[2]} - origin;
        const bool closes =
            block.wrap != 0 && (lower[0] < 0 || lower[0] + points.widths[0] > block.wrap);
        list.add(n, lower, view, !closes);
    }
}

/// The points in order, of which some have several images.
std::vector<std::uint32_t> each_once(std::vector<std::uint32_t> points) {
    std::ranges::sort(points);
    points.erase(std::ranges::unique(points).begin(), points.end());
    return points;
}

/// The box as so many pieces along its last axis that is longer than a cell.
std::vector<Box> slabs(const Box& box, int count) {
    std::size_t axis = 2;
    while (axis > 0 && box.extent()[axis] == 1) --axis;
    const std::int64_t n = box.extent()[axis];
    std::vector<Box> found;
    for (std::int64_t i = 0; i < count; ++i) {
        Box slab = box;
        slab.lower[axis] = box.lower[axis] + n * i / count;
        slab.upper[axis] = box.lower[axis] + n * (i + 1) / count;
        if (!slab.is_empty()) found.push_back(slab);
    }
    return found;
}

}  // namespace

void PointList::add(std::size_t point, const Index3& lower, const halocline_field& view,
                    bool is_inner) {
    points.push_back(static_cast<std::uint32_t>(point));
    offsets.push_back(lower[0] * view.x + lower[1] * view.y + lower[2] * view.z);
    if (is_inner) return;
    outer.push_back(points.size() - 1);
    lowers.push_back(lower);
}

PointsOnBlock::PointsOnBlock(const State& state, const Points& points, int slot, int block)
    : points_(points),
      space_(state.space(state.field(slot).space)),
      block_(state.block(slot, block)),
      view_(state.view(slot, block)) {}

PointList PointsOnBlock::list_in(std::span<const std::uint32_t> some, const Box& box) const {
    const Index3& origin = block_.box.lower;
    const Box global{box.lower + origin, box.upper + origin};
    PointList list{box, {}, {}, {}, {}};
    if (points_.is_injected && !space_.translations.empty())
        list_injected_across(points_, some, global, origin, space_.translations, view_, list);
    else if (points_.is_injected)
        list_injected(points_, some, global, origin, space_.period, view_, list);
    else
        list_interpolated(points_, some, global, block_, view_, list);
    return list;
}

std::vector<PointList> PointsOnBlock::lists_of(const Box& box, int threads) const {
    const auto bytes = static_cast<std::int64_t>(points_.count()) * point_bytes;
    std::vector<std::uint32_t> all(points_.count());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<PointList> lists;
    for (const Box& slab : slabs(box, threads_for(bytes, threads))) {
        PointList list = list_in(all, slab);
        if (!list.points.empty()) lists.push_back(std::move(list));
    }
    return lists;
}

std::vector<std::vector<std::uint32_t>> PointsOnBlock::on_planes(
    const std::vector<PointList>& lists, const Box& box, std::size_t axis) const {
    std::vector<std::uint32_t> all;
    for (const PointList& list : lists) std::ranges::copy(list.points, std::back_inserter(all));
    const std::vector<std::uint32_t> here = each_once(std::move(all));
    std::vector<std::vector<std::uint32_t>> planes;
    Box plane = box;
    for (std::int64_t at = box.lower[axis]; at < box.upper[axis]; ++at) {
        plane.lower[axis] = at, plane.upper[axis] = at + 1;
        planes.push_back(each_once(list_in(here, plane).points));
    }
    return planes;
}

}  // namespace halocline
