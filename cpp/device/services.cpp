#include "device/services.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "device/launch.hpp"

namespace halocline {
namespace {

/// More threads than any device runs at once; each visits as many values as it takes.
constexpr std::int64_t most_visitors = std::int64_t{1} << 17;

/// 'Move' of codegen/cuda_services.py.
struct MoveArgument {
    Rows source, target;
    std::int64_t nx, ny;
    std::int64_t size;
    std::int64_t value;
    std::int64_t before;
};

/// 'Cells' there.
struct CellsArgument {
    DeviceCells cells;
    std::int64_t before;
};

/// 'Table' there.
struct TableArgument {
    std::byte* pieces;
    std::byte* starts;
    std::int64_t shift;
};

TableArgument argument(const BoxTable& table) {
    return {table.pieces.get(), table.starts.get(), table.shift};
}

/// Pieces on the device, each of which knows how many values are before it. A thread finds its
/// piece among few: there are about as many starts as pieces.
template <typename Piece>
BoxTable table_of(Device& device, const std::vector<Piece>& pieces, std::int64_t values) {
    BoxTable table;
    for (const Piece& piece : pieces) table.before.push_back(piece.before);
    table.before.push_back(values);
    const auto count = static_cast<std::int64_t>(pieces.size());
    while (values >> table.shift > 2 * count) ++table.shift;
    std::vector<std::int32_t> starts;
    std::size_t piece = 0;
    for (std::int64_t i = 0; i < values; i += std::int64_t{1} << table.shift) {
        while (piece + 1 < pieces.size() && table.before[piece + 1] <= i) ++piece;
        starts.push_back(static_cast<std::int32_t>(piece));
    }
    starts.push_back(static_cast<std::int32_t>(count - 1));
    table.pieces = uploaded(device, pieces);
    table.starts = uploaded(device, starts);
    return table;
}

/// Launches a kernel with a line of threads, at least one for each of `count`.
void launch_line(Device& device, int stream, DeviceLaunch launch, std::int64_t count) {
    const std::int64_t blocks = (count + threads_of_block - 1) / threads_of_block;
    if (blocks > std::numeric_limits<std::int32_t>::max()) {
        throw std::length_error("A device was to move " + std::to_string(count) +
                                " values at once.");
    }
    launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
    launch.block = {threads_of_block, 1, 1};
    device.launch(stream, std::move(launch));
}

}  // namespace

BoxTable Services::table(const std::vector<Move>& moves) const {
    std::vector<MoveArgument> arguments;
    std::int64_t before = 0;
    for (const Move& move : moves) {
        const std::int64_t values = move.extent[0] * move.extent[1] * move.extent[2];
        if (values > std::numeric_limits<std::uint32_t>::max()) {
            throw std::length_error("A device was to move a box of " + std::to_string(values) +
                                    " values.");
        }
        arguments.push_back({move.source, move.target, move.extent[0], move.extent[1],
                             move.element_size, move.value, before});
        before += values;
    }
    return table_of(device_, arguments, before);
}

BoxTable Services::table(const std::vector<DeviceCells>& cells) const {
    std::vector<CellsArgument> arguments;
    std::int64_t before = 0;
    for (const DeviceCells& box : cells) {
        arguments.push_back({box, before});
        std::int64_t values = 1;
        for (int axis = 0; axis < 3; ++axis) values *= box.upper[axis] - box.lower[axis];
        before += values;
    }
    return table_of(device_, arguments, before);
}

void Services::move(int stream, const BoxTable& table) const {
    move(stream, table, 0, table.before.size() - 1);
}

void Services::move(int stream, const BoxTable& table, std::size_t first, std::size_t last) const {
    const std::int64_t values = table.before[last] - table.before[first];
    if (values == 0) return;
    launch_line(device_, stream,
                launch_of(kernels_.move, argument(table), table.before[first], values), values);
}

void Services::sum(const BoxTable& cells, std::byte* words) const {
    visit(cells, launch_of(kernels_.sum, argument(cells), cells.before.back(), words, slots));
}

void Services::fold(const std::byte* words, std::byte* total, std::int64_t words_each) const {
    const std::int64_t count = words_each * slots;
    launch_line(device_, Device::plain, launch_of(kernels_.fold, words, total, slots, count),
                count);
}

void Services::find_extremes(const BoxTable& cells, std::byte* ranks) const {
    visit(cells, launch_of(kernels_.extremes, argument(cells), cells.before.back(), ranks, slots));
}

void Services::find_outliers(const BoxTable& cells, double low, double high,
                             std::byte* found) const {
    visit(cells, launch_of(kernels_.find_outliers, argument(cells), cells.before.back(), low, high,
                           found));
}

void Services::visit(const BoxTable& cells, DeviceLaunch launch) const {
    const std::int64_t count = cells.before.back();
    if (count == 0) return;
    launch_line(device_, Device::plain, std::move(launch), std::min(count, most_visitors));
}

}  // namespace halocline
