#include "runtime/device_run.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "device/launch.hpp"
#include "runtime/kept.hpp"

namespace halocline {
namespace {

constexpr std::int64_t most_blocks = 65535;      // of a launch, along y and z
constexpr std::int64_t most_blocks_x = 1 << 30;  // likewise along x
constexpr std::int64_t most_threads_z = 64;      // of a block, along z

/// The first parameter of every kernel: 'Box' of codegen/cuda_prelude.py.
struct BoxArgument {
    std::int64_t lower[3];
    std::int64_t upper[3];
    std::int64_t origin[3];
    std::int64_t period[3];
    std::int64_t wrap;
    const void* active_runs;
    std::int64_t active_run_count;
    const void* layers;
    halocline_layer free_of_producers;
};

/// Threads of a block for so many along each axis: those that are wanted, or where there are fewer
/// more along other axes.
Index3 block_for(const Index3& threads, const Index3& wanted) {
    Index3 block{1, 1, 1};
    std::int64_t left = wanted[0] * wanted[1] * wanted[2];
    const auto grow = [&](const Index3& most) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            while (block[axis] < std::min(threads[axis], most[axis]) && left > 1) {
                block[axis] *= 2;
                left /= 2;
            }
        }
    };
    grow(wanted);
    grow({left * block[0], left * block[1], most_threads_z});
    return block;
}

/// Launches a kernel in so many cells along each axis, in as many launches as that takes.
void launch_all(Device& device, const DeviceLaunch& kernel, const BoxArgument& box,
                const Index3& cells, const Threads& shared, int stream) {
    Index3 threads{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        threads[axis] = (cells[axis] + shared.cells[axis] - 1) / shared.cells[axis];
    }
    const Index3 block = block_for(threads, shared.block);
    const Index3 most{most_blocks_x * block[0], most_blocks * block[1], most_blocks * block[2]};
    for (std::int64_t z = 0; z < threads[2]; z += most[2]) {
        for (std::int64_t y = 0; y < threads[1]; y += most[1]) {
            BoxArgument piece = box;
            piece.lower[1] += y * shared.cells[1];
            piece.lower[2] += z * shared.cells[2];
            DeviceLaunch launch = kernel;
            const Index3 rest{threads[0], std::min(most[1], threads[1] - y),
                              std::min(most[2], threads[2] - z)};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                launch.grid[axis] =
                    static_cast<std::uint32_t>((rest[axis] + block[axis] - 1) / block[axis]);
                launch.block[axis] = static_cast<std::uint32_t>(block[axis]);
            }
            std::memcpy(launch.parameters.data(), &piece, sizeof piece);
            device.launch(stream, std::move(launch));
        }
    }
}

/// The lists of a piece on the device.
struct Lists {
    std::shared_ptr<std::byte> active_runs;
    std::shared_ptr<std::byte> layers;
};

/// What the first parameter says of a piece, whose lists are brought to the device.
BoxArgument box_of(Device& device, program::Run::Piece& piece) {
    auto& lists = kept<Lists>(piece.kept);
    if (!piece.active_runs.empty() && !lists.active_runs)
        lists.active_runs = uploaded(device, piece.active_runs);
    if (!piece.layers.empty() && !lists.layers) lists.layers = uploaded(device, piece.layers);
    const halocline_call& call = piece.call;
    BoxArgument box{};
    std::ranges::copy(call.lower, box.lower);
    std::ranges::copy(call.upper, box.upper);
    std::ranges::copy(call.origin, box.origin);
    std::ranges::copy(call.period, box.period);
    box.wrap = call.wrap;
    box.active_runs = lists.active_runs.get();
    box.active_run_count = call.active_run_count;
    box.layers = lists.layers.get();
    box.free_of_producers = piece.free_of_producers;
    return box;
}

}  // namespace

void launch(const Mirror& mirror, const State& state, const program::Run& run,
            program::Run::Piece& piece, int stream) {
    const BoxArgument box = box_of(mirror.device(), piece);
    DeviceLaunch kernel = launch_of(reinterpret_cast<void*>(run.function), box);
    for (std::size_t i = 0; i < run.fields.size(); ++i) {
        const int slot = run.fields[i];
        add_parameter(kernel, moved(mirror.view(state.holds(slot), piece.block),
                                    state.field(slot).type, piece.moved[i]));
    }
    for (const double value : run.scalar_arguments) add_parameter(kernel, value);
    if (!piece.active_runs.empty()) {
        const halocline_active_run& end = piece.active_runs.back();
        const std::int64_t cells = end.before + (end.upper - end.lower);
        // A thread for each cell, whatever runs they are in.
        if (cells > 0) launch_all(mirror.device(), kernel, box, {cells, 1, 1}, {}, stream);
        return;
    }
    Index3 cells{};
    for (std::size_t axis = 0; axis < 3; ++axis) cells[axis] = box.upper[axis] - box.lower[axis];
    launch_all(mirror.device(), kernel, box, cells, run.threads, stream);
}

}  // namespace halocline
