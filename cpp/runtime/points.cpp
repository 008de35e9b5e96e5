#include "runtime/points.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/point_lists.hpp"

namespace halocline {
namespace {

/// How many points before its turn the values of a point are fetched into the cache.
constexpr std::size_t ahead = 12;
/// How many points before its turn the lines up to a point's last cell are, where most are needed.
constexpr std::size_t far_ahead = 64;
/// Bytes that are fetched at once.
constexpr std::size_t line_bytes = 64;

/// Widths and a distance between cells of a row that the compiler knows, so that it unrolls loops.
template <int nx, int ny, int nz>
struct Known {
    static constexpr int x = nx, y = ny, z = nz;
    static constexpr std::int64_t step = 1;
    static constexpr int most = nx > ny ? (nx > nz ? nx : nz) : (ny > nz ? ny : nz);
};
/// Those that it does not.
struct Any {
    int x, y, z;
    std::int64_t step;
    static constexpr int most = 16;  // of 'sinc' with radius 8
};

/// Calls `work` with the widths, which the compiler knows if they are frequent ones.
template <typename Work>
void with_widths(const Index3& widths, std::int64_t step, const Work& work) {
    const auto is = [&](int x, int y, int z) { return step == 1 && widths == Index3{x, y, z}; };
    if (is(2, 2, 2)) return work(Known<2, 2, 2>{});
    if (is(2, 2, 1)) return work(Known<2, 2, 1>{});
    if (is(4, 4, 4)) return work(Known<4, 4, 4>{});
    if (is(8, 8, 8)) return work(Known<8, 8, 8>{});
    work(Any{static_cast<int>(widths[0]), static_cast<int>(widths[1]), static_cast<int>(widths[2]),
             step});
}

/// The weights of a point along its axes.
template <typename W>
struct Weights {
    using Along = std::array<double, W::most>;
    Along x, y, z;
    bool has_zero = false;

    Weights(const double* stored, W width) {
        stored = take(x, stored, width.x);
        stored = take(y, stored, width.y);
        take(z, stored, width.z);
    }
    /// Of two weights only the second is stored, the rest of 1 is the first.
    const double* take(Along& along, const double* stored, int width) {
        if (width == 2) {
            along[0] = 1.0 - stored[0];
            along[1] = stored[0];
            has_zero = has_zero || along[0] == 0 || along[1] == 0;
            return stored + 1;
        }
        for (int i = 0; i < width; ++i) {
            along[static_cast<std::size_t>(i)] = stored[i];
            has_zero = has_zero || stored[i] == 0;
        }
        return stored + width;
    }
};

/// The values of a field on a block.
template <typename T>
struct Cells {
    T* data;
    std::int64_t y, z;
    std::int64_t wrap;  // cells of a row that closes, or 0
};

template <typename T, typename W>
double interpolated(const T* cell, const Cells<T>& cells, const Weights<W>& weights, W width) {
    std::array<double, W::most> columns{};
    for (int k = 0; k < width.z; ++k) {
        for (int j = 0; j < width.y; ++j) {
            const auto [wy, wz] = std::pair(weights.y[static_cast<std::size_t>(j)],
                                            weights.z[static_cast<std::size_t>(k)]);
            const double weight = wz * wy;
            const T* const row = cell + k * cells.z + j * cells.y;
            for (int i = 0; i < width.x; ++i) {
                columns[static_cast<std::size_t>(i)] +=
                    weight * static_cast<double>(row[i * width.step]);
            }
        }
    }
    double sum = 0;
    for (int i = 0; i < width.x; ++i) {
        sum += weights.x[static_cast<std::size_t>(i)] * columns[static_cast<std::size_t>(i)];
    }
    return sum;
}

/// The same where a row may close, and where what has a weight of 0 is not looked at: there may be
/// no value.
template <typename T, typename W>
double interpolated_carefully(const Index3& lower, const Cells<T>& cells, const Weights<W>& weights,
                              W width) {
    double sum = 0;
    for (int i = 0; i < width.x; ++i) {
        const double wx = weights.x[static_cast<std::size_t>(i)];
        if (wx == 0) continue;
        std::int64_t x = lower[0] + i;
        if (cells.wrap != 0) x = (x % cells.wrap + cells.wrap) % cells.wrap;
        double column = 0;
        for (int k = 0; k < width.z; ++k) {
            for (int j = 0; j < width.y; ++j) {
                const double weight =
                    weights.z[static_cast<std::size_t>(k)] * weights.y[static_cast<std::size_t>(j)];
                if (weight == 0) continue;
                const T value =
                    cells
                        .data[(lower[2] + k) * cells.z + (lower[1] + j) * cells.y + x * width.step];
                column += weight * static_cast<double>(value);
            }
        }
        sum += wx * column;
    }
    return sum;
}

/// The part of a width that begins at `lower` and lies in [from, to).
struct Part {
    int begin, end;
};
Part part_of(std::int64_t lower, int width, std::int64_t from, std::int64_t to) {
    return {static_cast<int>(std::max<std::int64_t>(0, from - lower)),
            static_cast<int>(std::min<std::int64_t>(width, to - lower))};
}

/// Adds to the cells of three parts; with `has_zero` cells of weight 0 keep their bits.
template <bool has_zero, typename T, typename W>
void inject_into(T* cell, const Cells<T>& cells, const Weights<W>& weights, W width, double value,
                 Part x, Part y, Part z) {
    for (int k = z.begin; k < z.end; ++k) {
        for (int j = y.begin; j < y.end; ++j) {
            const double weight =
                weights.z[static_cast<std::size_t>(k)] * weights.y[static_cast<std::size_t>(j)];
            if (has_zero && weight == 0) continue;
            const double amount = value * weight;
            T* const row = cell + k * cells.z + j * cells.y;
            for (int i = x.begin; i < x.end; ++i) {
                const double wx = weights.x[static_cast<std::size_t>(i)];
                if (has_zero && wx == 0) continue;
                T& one = row[i * width.step];
                one = static_cast<T>(static_cast<double>(one) + amount * wx);
            }
        }
    }
}

template <typename T, typename W>
void inject(T* cell, const Cells<T>& cells, const Weights<W>& weights, W width, double value,
            Part x, Part y, Part z) {
    if (weights.has_zero)
        inject_into<true>(cell, cells, weights, width, value, x, y, z);
    else
        inject_into<false>(cell, cells, weights, width, value, x, y, z);
}

/// Fetches the cells of a point to come.
template <bool for_writing, typename T, typename W>
void fetch(const T* cell, const Cells<T>& cells, W width) {
    for (int k = 0; k < width.z; ++k) {
        for (int j = 0; j < width.y; ++j) {
            __builtin_prefetch(cell + k * cells.z + j * cells.y, for_writing ? 1 : 0);
        }
    }
}

/// Fetches the lines of a field in order, just before points come to them that use most of them:
/// memory is faster so than by the lines of each point. As many lines for every point, so that no
/// branch depends on where points lie.
template <typename T>
class Stream {
public:
    Stream(const Cells<T>& cells, const PointList& list, std::int64_t last)
        : cells_(cells), last_(last) {
        const auto count = static_cast<std::int64_t>(list.points.size());
        const std::int64_t each = (list.offsets.back() - list.offsets.front()) / (count * line);
        each_ = dense <= each && each < sparse ? each + 1 : 0;
    }
    /// Goes on for a point to come whose box begins here.
    void advance(std::int64_t offset) {
        const std::int64_t to = offset + last_;
        next_ = std::min(std::max(next_, to - 16 * line), to + 8 * line);
        for (std::int64_t i = 0; i < each_; ++i) {
            __builtin_prefetch(cells_.data + next_, 0, 2);
            next_ += line;
        }
    }

private:
    static constexpr std::int64_t line = line_bytes / sizeof(T);
    static constexpr std::int64_t dense = 2;   // lines a point: of fewer, caches hold enough
    static constexpr std::int64_t sparse = 4;  // a point uses hardly more

    Cells<T> cells_;
    std::int64_t last_;  // cell of a point's box
    std::int64_t each_ = 0, next_ = 0;
};

/// Does the points of a list. `row`: where interpolated values go; null where values are injected.
template <typename T, typename W>
void work_in(const Points& points, const PointList& list, const Cells<T>& cells, W width,
             const Index3& origin, double* row, const SeriesPlace& place, double scalar) {
    const std::size_t each = points.weights_each();
    const std::size_t count = list.points.size();
    std::size_t next_outer = 0;
    const Part x{0, width.x}, y{0, width.y}, z{0, width.z};
    Stream<T> stream(cells, list, (width.z - 1) * cells.z + (width.y - 1) * cells.y);
    for (std::size_t p = 0; p < count; ++p) {
        if (p + far_ahead < count) stream.advance(list.offsets[p + far_ahead]);
        if (p + ahead < count) {
            const T* const later = cells.data + list.offsets[p + ahead];
            if (row != nullptr)
                fetch<false>(later, cells, width);
            else
                fetch<true>(later, cells, width);
        }
        const std::size_t n = list.points[p];
        const Weights<W> weights(points.weights.data() + n * each, width);
        const bool is_outer = next_outer < list.outer.size() && list.outer[next_outer] == p;
        const Index3* const lower = is_outer ? &list.lowers[next_outer++] : nullptr;
        T* const cell = cells.data + list.offsets[p];
        if (row != nullptr) {
            row[n] = is_outer || weights.has_zero
                         ? interpolated_carefully(points.lower(n, origin), cells, weights, width)
                         : interpolated<T>(cell, cells, weights, width);
            continue;
        }
        const double now = place.before == nullptr ? 1.0 : place.value(n);
        const double value = points.scales[n] * now * scalar;
        if (!is_outer) {
            inject(cell, cells, weights, width, value, x, y, z);
            continue;
        }
        const Box& box = list.box;
        const Index3& low = *lower;
        inject(cell, cells, weights, width, value,
               part_of(low[0], width.x, box.lower[0], box.upper[0]),
               part_of(low[1], width.y, box.lower[1], box.upper[1]),
               part_of(low[2], width.z, box.lower[2], box.upper[2]));
    }
}

}  // namespace

void work_at(const Points& points, const std::vector<PointList>& lists, const halocline_field& view,
             ElementType type, const Block& block, double scalar, const PointMoment& moment) {
    SeriesPlace place;
    if (!points.series.empty()) place = place_of(points.series.front(), moment.time);
    with_float(type, [&]<typename T>(T) {
        with_widths(points.widths, view.x, [&](auto width) {
            T* const data = static_cast<T*>(view.data) + points.component * view.component;
            const Cells<T> cells{data, view.y, view.z, block.wrap};
            const auto threads = static_cast<int>(lists.size());
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
            for (const PointList& list : lists) {
                work_in(points, list, cells, width, block.box.lower, moment.row, place, scalar);
            }
        });
    });
}

PointMoment begin(Points& points, std::int64_t step, double time) {
    if (points.is_injected) return {time, nullptr};
    if (points.steps.empty() || points.steps.back() != step) {
        points.steps.push_back(step);
        points.times.push_back(time);
        points.recorded.push_back(std::make_unique_for_overwrite<double[]>(points.count()));
    }
    return {time, points.recorded.back().get()};
}

}  // namespace halocline
