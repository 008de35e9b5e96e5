#include "runtime/points.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "core/threads.hpp"

namespace halocline {
namespace {

/// What a point moves through the caches, roughly [bytes].
constexpr std::int64_t point_bytes = 128;

using Widths = std::array<int, 3>;
/// Widths that the compiler knows, so that it unrolls the loops.
template <int nx, int ny, int nz>
struct Known {
    static constexpr int x = nx, y = ny, z = nz;
};
/// Widths that it does not.
struct Any {
    int x, y, z;
};

/// Calls `work` with the widths, which the compiler knows if they are frequent ones.
template <typename Work>
void with_widths(const Index3& widths, const Work& work) {
    const auto is = [&](int x, int y, int z) { return widths == Index3{x, y, z}; };
    if (is(2, 2, 2)) return work(Known<2, 2, 2>{});
    if (is(2, 2, 1)) return work(Known<2, 2, 1>{});
    if (is(4, 4, 4)) return work(Known<4, 4, 4>{});
    if (is(8, 8, 8)) return work(Known<8, 8, 8>{});
    work(Any{static_cast<int>(widths[0]), static_cast<int>(widths[1]),
             static_cast<int>(widths[2])});
}

template <typename Work>
void with_float(ElementType type, const Work& work) {
    if (type == ElementType::float32) return work(float{});
    work(double{});
}

/// A field on a block, and how rows that close on themselves are indexed.
template <typename T>
struct Cells {
    T* data;
    std::int64_t x, y, z;
    std::int64_t wrap;  // cells of a row that closes, or 0

    Cells(const halocline_field& view, int component, const Block& block)
        : data(static_cast<T*>(view.data) + component * view.component),
          x(view.x),
          y(view.y),
          z(view.z),
          wrap(block.wrap) {}
    [[nodiscard]] T* row(const ListedPoint& at, int j, int k) const {
        return data + (at.lower[1] + j) * y + (at.lower[2] + k) * z;
    }
    [[nodiscard]] bool closes(const ListedPoint& at, int width) const {
        return wrap != 0 && (at.lower[0] < 0 || at.lower[0] + width > wrap);
    }
    /// The place of a cell in its row, from the other end if it lies beyond one.
    [[nodiscard]] std::int64_t place(std::int64_t cell) const {
        return ((cell % wrap + wrap) % wrap) * x;
    }
};

/// A weight of 0 does not look at the value: there may be none.
inline double weighted(double weight, double value) { return weight == 0 ? 0.0 : weight * value; }

template <typename T, typename W>
double interpolated(const Cells<T>& cells, const ListedPoint& at, const double* weights, W width) {
    const double* const wx = weights;
    const double* const wy = wx + width.x;
    const double* const wz = wy + width.y;
    const bool closes = cells.closes(at, width.x);
    double sum = 0;
    for (int k = 0; k < width.z; ++k) {
        for (int j = 0; j < width.y; ++j) {
            const double weight = wz[k] * wy[j];
            if (weight == 0) continue;
            const T* const row = cells.row(at, j, k);
            double along = 0;
            if (closes) {
                for (int i = 0; i < width.x; ++i) {
                    along += weighted(wx[i],
                                      static_cast<double>(row[cells.place(at.lower[0] + i)]));
                }
            } else {
                for (int i = 0; i < width.x; ++i) {
                    along += weighted(wx[i],
                                      static_cast<double>(row[(at.lower[0] + i) * cells.x]));
                }
            }
            sum += weight * along;
        }
    }
    return sum;
}

/// The part of a width that begins at `lower` and lies in [from, to).
struct Part {
    int begin, end;
    Part(std::int64_t lower, int width, std::int64_t from, std::int64_t to)
        : begin(static_cast<int>(std::max<std::int64_t>(0, from - lower))),
          end(static_cast<int>(std::min<std::int64_t>(width, to - lower))) {}
};

template <typename T, typename W>
void inject(const Cells<T>& cells, const ListedPoint& at, const double* weights, W width,
            double value, const Box& box) {
    const double* const wx = weights;
    const double* const wy = wx + width.x;
    const double* const wz = wy + width.y;
    const Part x(at.lower[0], width.x, box.lower[0], box.upper[0]);
    const Part y(at.lower[1], width.y, box.lower[1], box.upper[1]);
    const Part z(at.lower[2], width.z, box.lower[2], box.upper[2]);
    const auto add = [&](T* row, int begin, int end, double amount) {
        for (int i = begin; i < end; ++i) {
            T& cell = row[(at.lower[0] + i) * cells.x];
            cell = static_cast<T>(static_cast<double>(cell) + amount * wx[i]);
        }
    };
    const bool is_whole = x.begin == 0 && x.end == width.x;
    for (int k = z.begin; k < z.end; ++k) {
        for (int j = y.begin; j < y.end; ++j) {
            const double amount = value * (wz[k] * wy[j]);
            T* const row = cells.row(at, j, k);
            // The compiler knows how long whole rows are.
            if (is_whole)
                add(row, 0, width.x, amount);
            else
                add(row, x.begin, x.end, amount);
        }
    }
}

/// The images of a point's box that meet some cells, along one axis: how far they are moved.
struct Turns {
    std::int64_t begin, end;
    Turns(std::int64_t first, std::int64_t width, std::int64_t lower, std::int64_t upper,
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
void list_injected(const Points& points, const Box& box, const Index3& origin,
                   const Index3& period, std::vector<ListedPoint>& list) {
    const auto at = [&](std::size_t n, std::size_t axis) -> std::int64_t {
        return points.first[3 * n + axis];
    };
    for (std::size_t n = 0; n < points.count(); ++n) {
        const auto turns = [&](std::size_t axis) {
            return Turns(at(n, axis), points.widths[axis], box.lower[axis], box.upper[axis],
                         period[axis]);
        };
        const Turns z = turns(2);
        if (z.begin >= z.end) continue;
        const Turns y = turns(1);
        if (y.begin >= y.end) continue;
        const Turns x = turns(0);
        for (std::int64_t tz = z.begin; tz < z.end; ++tz) {
            for (std::int64_t ty = y.begin; ty < y.end; ++ty) {
                for (std::int64_t tx = x.begin; tx < x.end; ++tx) {
                    const Index3 turn{tx, ty, tz};
                    ListedPoint listed{static_cast<std::int32_t>(n), {}};
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        listed.lower[axis] = static_cast<std::int32_t>(
                            at(n, axis) + turn[axis] * period[axis] - origin[axis]);
                    }
                    list.push_back(listed);
                }
            }
        }
    }
}

/// Lists the points whose cells lie in a box, given with global indices.
void list_interpolated(const Points& points, const Box& box, const Index3& origin,
                       std::vector<ListedPoint>& list) {
    for (std::size_t n = 0; n < points.count(); ++n) {
        const std::int32_t* const cell = points.cells.data() + 3 * n;
        const Index3 place{cell[0], cell[1], cell[2]};
        if (!box.contains({place, place + Index3{1, 1, 1}})) continue;
        ListedPoint listed{static_cast<std::int32_t>(n), {}};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            listed.lower[axis] =
                static_cast<std::int32_t>(points.first[3 * n + axis] - origin[axis]);
        }
        list.push_back(listed);
    }
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

std::vector<PointList> lists_of(const Points& points, const Box& box, const Block& block,
                                const Index3& period, int threads) {
    const Index3& origin = block.box.lower;
    const auto all = static_cast<std::int64_t>(points.count()) * point_bytes;
    std::vector<PointList> lists;
    for (const Box& slab : slabs(box, threads_for(all, threads))) {
        PointList list{slab.relative_to(origin), {}};
        if (points.is_injected)
            list_injected(points, slab, origin, period, list.points);
        else
            list_interpolated(points, slab, origin, list.points);
        if (!list.points.empty()) lists.push_back(std::move(list));
    }
    return lists;
}

void work_at(Points& points, const std::vector<PointList>& lists, const halocline_field& view,
             ElementType type, const Block& block, double scalar, double time) {
    SeriesPlace place;
    if (!points.series.empty()) place = place_of(points.series.front(), time);
    const std::size_t count = points.count();
    double* const row = points.is_injected ? nullptr : points.recorded.data() +
                                                           (points.steps.size() - 1) * count;
    const std::size_t each = points.weights_each();
    with_float(type, [&]<typename T>(T) {
        with_widths(points.widths, [&](auto width) {
            const Cells<T> cells(view, points.component, block);
            const auto threads = static_cast<int>(lists.size());
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
            for (std::size_t l = 0; l < lists.size(); ++l) {
                for (const ListedPoint& at : lists[l].points) {
                    const auto n = static_cast<std::size_t>(at.point);
                    const double* const weights = points.weights.data() + n * each;
                    if (row != nullptr) {
                        row[n] = interpolated(cells, at, weights, width);
                        continue;
                    }
                    const double now = place.before == nullptr ? 1.0 : place.value(n);
                    const double value = points.scales[n] * now * scalar;
                    inject(cells, at, weights, width, value, lists[l].box);
                }
            }
        });
    });
}

void begin_row(Points& points, std::int64_t step) {
    if (!points.steps.empty() && points.steps.back() == step) return;
    points.steps.push_back(step);
    points.recorded.resize(points.steps.size() * points.count(), 0.0);
}

}  // namespace halocline
