#include "runtime/wavefront.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/host_run.hpp"
#include "runtime/point_run.hpp"

namespace halocline {
namespace {

/// Planes, or rows, from one to before another.
struct Range {
    std::int64_t begin, end;
};

/// A run, as far as it concerns one block.
struct BlockRun {
    program::Run* run;
    plan::Skew skew;
    std::vector<const program::Run::Piece*> pieces;
};

/// Runs the kernel in the cells of a call, of which there are some.
void compute(const program::Run& run, const halocline_call& call) {
    if (call.active_runs == nullptr) return run.function(&call);
    // The active runs are in order of planes and rows.
    const halocline_active_run* const all = call.active_runs;
    const halocline_active_run* const end = all + call.active_run_count;
    const auto first_at = [&](std::int64_t y, std::int64_t z) {
        return std::lower_bound(all, end, std::array{z, y},
                                [](const halocline_active_run& one, const auto& place) {
                                    return std::array{one.z, one.y} < place;
                                });
    };
    halocline_call part = call;
    for (std::int64_t z = call.lower[2]; z < call.upper[2]; ++z) {
        part.active_runs = first_at(call.lower[1], z);
        part.active_run_count = first_at(call.upper[1], z) - part.active_runs;
        if (part.active_run_count > 0) run.function(&part);
    }
}

/// The runs of a wavefront on one block.
///
/// With tiles and planes in this order, each run finds done what it needs of those before, and none
/// of those after has begun where it still reads or writes: its skews say by how much they stay
/// behind. Threads share the planes: each goes through a range of them from which each run keeps
/// its distance at both ends, and then the gaps between these ranges are closed (split tiling).
class Front {
public:
    Front(const State& state, const program::Wavefront& wavefront, std::vector<BlockRun> runs)
        : state_(state),
          runs_(std::move(runs)),
          axis_(wavefront.axis),
          planes_(wavefront.planes),
          rows_(wavefront.rows),
          all_planes_(bounds(axis_)),
          all_rows_(bounds(1)) {
        for (const BlockRun& one : runs_) {
            most_lower_ = std::max(most_lower_, one.skew.lower);
            most_upper_ = std::max(most_upper_, one.skew.upper);
            most_across_ = std::max(most_across_, one.skew.across);
        }
    }

    void run(int threads) const {
        const std::int64_t planes = all_planes_.end - all_planes_.begin;
        const std::int64_t most = planes / (most_lower_ + most_upper_ + 1);
        const int parts = static_cast<int>(std::clamp<std::int64_t>(most, 1, threads));
        const auto cut = [&](int number) { return all_planes_.begin + planes * number / parts; };
#pragma omp parallel for num_threads(parts) if (parts > 1) schedule(static, 1)
        for (int n = 0; n < parts; ++n) {
            go_through([&](const plan::Skew& skew) {
                return Range{cut(n) + (n > 0 ? skew.lower : 0),
                             cut(n + 1) - (n + 1 < parts ? skew.upper : 0)};
            });
        }
#pragma omp parallel for num_threads(parts) if (parts > 2) schedule(static, 1)
        for (int n = 1; n < parts; ++n) {
            go_through([&](const plan::Skew& skew) {
                return Range{cut(n) - skew.upper, cut(n) + skew.lower};
            });
        }
    }

private:
    /// From the first to before the last plane or row of all runs.
    [[nodiscard]] Range bounds(std::size_t axis) const {
        Range found{std::numeric_limits<std::int64_t>::max(),
                    std::numeric_limits<std::int64_t>::min()};
        for (const BlockRun& one : runs_) {
            for (const program::Run::Piece* piece : one.pieces) {
                found.begin = std::min(found.begin, piece->call.lower[axis]);
                found.end = std::max(found.end, piece->call.upper[axis]);
            }
        }
        return found;
    }

    /// Does all runs on the planes that `range` gives for each.
    void go_through(const auto& range) const {
        std::int64_t begin = all_planes_.end, end = all_planes_.begin;
        for (const BlockRun& one : runs_) {
            begin = std::min(begin, range(one.skew).begin + one.skew.upper);
            end = std::max(end, range(one.skew).end + one.skew.upper);
        }
        const std::int64_t rows =
            rows_ > 0 ? rows_ : all_rows_.end - all_rows_.begin + most_across_;
        for (std::int64_t y = all_rows_.begin; y < all_rows_.end + most_across_; y += rows) {
            for (std::int64_t front = begin; front < end; front += planes_) {
                for (const BlockRun& one : runs_) {
                    const Range all = range(one.skew);
                    const std::int64_t from = front - one.skew.upper;
                    const Range planes{std::max(all.begin, from),
                                       std::min(all.end, from + planes_)};
                    const Range some{y - one.skew.across, y - one.skew.across + rows};
                    if (planes.begin < planes.end) do_some(one, planes, some);
                }
            }
        }
    }

    /// Does a run on some planes, and rows of a tile.
    void do_some(const BlockRun& one, const Range& planes, const Range& rows) const {
        for (const program::Run::Piece* piece : one.pieces) {
            halocline_call call = piece->call;
            clip(call, axis_, planes);
            if (axis_ == 2) clip(call, 1, rows);
            if (call.lower[1] >= call.upper[1] || call.lower[2] >= call.upper[2]) continue;
            call.threads = 1;
            call.stream = one.skew.is_first ? 2 : 0;
            call.fetch = one.skew.is_first ? lines_ahead.front() : 0;
            if (one.run->points != nullptr)
                run_points_in(state_, *one.run, *piece, call, axis_);
            else
                compute(*one.run, call);
        }
    }
    static void clip(halocline_call& call, std::size_t axis, const Range& range) {
        call.lower[axis] = std::max(call.lower[axis], range.begin);
        call.upper[axis] = std::min(call.upper[axis], range.end);
    }

    const State& state_;
    std::vector<BlockRun> runs_;
    std::size_t axis_;
    std::int64_t planes_, rows_;
    Range all_planes_, all_rows_;
    int most_lower_ = 0, most_upper_ = 0, most_across_ = 0;
};

/// The runs that have something to do on a block, given its fields.
std::vector<BlockRun> runs_on(const State& state, const program::Wavefront& wavefront, int block) {
    std::vector<BlockRun> found;
    for (std::size_t n = 0; n < wavefront.runs.size(); ++n) {
        program::Run* const run = wavefront.runs[n];
        BlockRun one{run, wavefront.skews[n], {}};
        for (const program::Run::Piece& piece : run->pieces) {
            if (piece.block == block) one.pieces.push_back(&piece);
        }
        if (one.pieces.empty()) continue;
        give_fields(state, *run, *one.pieces.front());
        found.push_back(std::move(one));
    }
    return found;
}

}  // namespace

void run_wavefront(State& state, program::Wavefront& wavefront) {
    int last = -1, threads = 1;
    for (const program::Run* run : wavefront.runs) {
        for (const program::Run::Piece& piece : run->pieces) {
            last = std::max(last, piece.block);
            threads = std::max(threads, piece.threads);
        }
    }
    const int space = wavefront.runs.front()->space;
    Timers::Ticks since = Timers::now();
    for (int block = 0; block <= last; ++block) {
        std::vector<BlockRun> runs = runs_on(state, wavefront, block);
        if (runs.empty()) continue;
        Front(state, wavefront, std::move(runs))
            .run(std::min(threads, state.thread_count.threads()));
        since = state.was_busy(space, block, since);
    }
}

}  // namespace halocline
