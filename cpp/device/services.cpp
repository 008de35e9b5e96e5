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

MoveTable Services::table(const std::vector<Move>& moves) const {
    std::vector<MoveArgument> arguments;
    MoveTable table{nullptr, {0}};
    for (const Move& move : moves) {
        const std::int64_t values = move.extent[0] * move.extent[1] * move.extent[2];
        if (values > std::numeric_limits<std::uint32_t>::max()) {
            throw std::length_error("A device was to move a box of " + std::to_string(values) +
                                    " values.");
        }
        arguments.push_back({move.source, move.target, move.extent[0], move.extent[1],
                             move.element_size, move.value, table.before.back()});
        table.before.push_back(table.before.back() + values);
    }
    table.memory = uploaded(device_, arguments);
    return table;
}

void Services::move(int stream, const MoveTable& table) const {
    move(stream, table, 0, table.before.size() - 1);
}

void Services::move(int stream, const MoveTable& table, std::size_t first, std::size_t last) const {
    const std::int64_t values = table.before[last] - table.before[first];
    if (values == 0) return;
    std::byte* moves = table.memory.get() + first * sizeof(MoveArgument);
    const auto count = static_cast<std::int64_t>(last - first);
    launch_line(device_, stream, launch_of(kernels_.move, moves, count, values), values);
}

void Services::sum(const DeviceCells& cells, std::byte* words) const {
    visit(cells, launch_of(kernels_.sum, cells, words, slots));
}

void Services::fold(const std::byte* words, std::byte* total, std::int64_t words_each) const {
    const std::int64_t count = words_each * slots;
    launch_line(device_, Device::plain, launch_of(kernels_.fold, words, total, slots, count),
                count);
}

void Services::find_extremes(const DeviceCells& cells, std::byte* ranks) const {
    visit(cells, launch_of(kernels_.extremes, cells, ranks, slots));
}

void Services::find_nan(const DeviceCells& cells, std::byte* number) const {
    visit(cells, launch_of(kernels_.find_nan, cells, number));
}

void Services::visit(const DeviceCells& cells, DeviceLaunch launch) const {
    std::int64_t count = 1;
    for (int axis = 0; axis < 3; ++axis) count *= cells.upper[axis] - cells.lower[axis];
    if (count <= 0) return;
    launch_line(device_, Device::plain, std::move(launch), std::min(count, most_visitors));
}

}  // namespace halocline
