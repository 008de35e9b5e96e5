#include "runtime/device_run.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "device/launch.hpp"
#include "runtime/device_batch.hpp"
#include "runtime/device_box.hpp"
#include "runtime/kept.hpp"

namespace halocline {
namespace {

constexpr std::int64_t most_blocks = 65535;      // of a launch, along y and z
constexpr std::int64_t most_blocks_x = 1 << 30;  // likewise along x
constexpr std::int64_t most_threads_z = 64;      // of a block, along z

/// Adds as many launches as so many threads along each axis take.
void add_all(const DeviceLaunch& kernel, const BoxArgument& box, const Index3& threads,
             const Threads& shared, std::vector<DeviceLaunch>& launches) {
    const Index3 block = block_of(threads, shared.block, most_threads_z);
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
            launches.push_back(std::move(launch));
        }
    }
}

/// The lists of a piece on the device.
struct Lists {
    std::shared_ptr<std::byte> active_runs;
    std::shared_ptr<std::byte> layers;
};

/// What the first parameter says of a piece, whose lists are brought to the device.
BoxArgument box_with_lists(Device& device, program::Run::Piece& piece) {
    auto& lists = kept<Lists>(piece.kept);
    if (!piece.active_runs.empty() && !lists.active_runs)
        lists.active_runs = uploaded(device, piece.active_runs);
    if (!piece.layers.empty() && !lists.layers) lists.layers = uploaded(device, piece.layers);
    return box_of(piece, lists.active_runs.get(), lists.layers.get());
}

void add_piece(const Mirror& mirror, const State& state, const program::Run& run,
               program::Run::Piece& piece, std::vector<DeviceLaunch>& launches) {
    const BoxArgument box = box_with_lists(mirror.device(), piece);
    DeviceLaunch kernel = launch_of(reinterpret_cast<void*>(run.function), box);
    for (std::size_t i = 0; i < run.fields.size(); ++i) {
        add_parameter(kernel, field_of(mirror, state, run, piece, i));
    }
    for (const double value : run.scalar_arguments) add_parameter(kernel, value);
    const Index3 threads = threads_of(run, piece);
    if (threads[0] == 0) return;  // no cell is active
    add_all(kernel, box, threads, shared_of(run, piece), launches);
}

}  // namespace

void add_launches(const Mirror& mirror, const State& state, program::Run& run,
                  std::vector<DeviceLaunch>& launches) {
    if (run.threads.is_batched) return add_batch(mirror, state, run, launches);
    for (program::Run::Piece& piece : run.pieces) add_piece(mirror, state, run, piece, launches);
}

}  // namespace halocline
