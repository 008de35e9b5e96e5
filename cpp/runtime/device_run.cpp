#include "runtime/device_run.hpp"

#include <algorithm>
#include <cstring>

namespace halocline {
namespace {

constexpr std::int64_t threads_of_block = 256;   // as in codegen/cuda.py
constexpr std::int64_t most_blocks = 65535;      // of a launch, along y and z
constexpr std::int64_t most_blocks_x = 1 << 30;  // likewise along x

/// The first parameter of every kernel: 'Box' of codegen/cuda_prelude.py.
struct BoxArgument {
    std::int64_t lower[3];
    std::int64_t upper[3];
    std::int64_t origin[3];
    std::int64_t turn;
    const void* spans;
    std::int64_t span_count;
    const void* layers;
};

template <typename T>
void add(DeviceLaunch& launch, const T& value) {
    // Every parameter is a multiple of 8 bytes long, and so aligned.
    static_assert(sizeof(T) % 8 == 0);
    launch.offsets.push_back(launch.parameters.size());
    launch.parameters.resize(launch.parameters.size() + sizeof(T));
    std::memcpy(launch.parameters.data() + launch.offsets.back(), &value, sizeof(T));
}

/// A copy on the device, which may be used when this returns.
template <typename T>
std::shared_ptr<std::byte> copied(Device& device, const std::vector<T>& values) {
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
    std::shared_ptr<std::byte> memory = device.allocate(bytes);
    device.copy(Device::plain, memory.get(), reinterpret_cast<const std::byte*>(values.data()),
                bytes);
    device.synchronize(device.record(Device::plain));
    return memory;
}

/// Threads of a block: as many along x as there are cells, then along y and z.
std::array<std::uint32_t, 3> block_for(const std::array<std::int64_t, 3>& cells) {
    std::array<std::uint32_t, 3> block{};
    std::int64_t left = threads_of_block;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::int64_t threads = 1;
        while (threads < cells[axis] && threads < left) threads *= 2;
        block[axis] = static_cast<std::uint32_t>(threads);
        left /= threads;
    }
    return block;
}

/// Launches a kernel in so many cells along each axis, in as many launches as that takes.
void launch_all(Device& device, const DeviceLaunch& kernel, const BoxArgument& box,
                const std::array<std::int64_t, 3>& cells) {
    const std::array<std::uint32_t, 3> block = block_for(cells);
    const std::array<std::int64_t, 3> most{most_blocks_x * block[0], most_blocks * block[1],
                                           most_blocks * block[2]};
    for (std::int64_t z = 0; z < cells[2]; z += most[2]) {
        for (std::int64_t y = 0; y < cells[1]; y += most[1]) {
            BoxArgument piece = box;
            piece.lower[1] += y;
            piece.lower[2] += z;
            DeviceLaunch launch = kernel;
            const std::array<std::int64_t, 3> rest{cells[0], std::min(most[1], cells[1] - y),
                                                   std::min(most[2], cells[2] - z)};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                launch.grid[axis] =
                    static_cast<std::uint32_t>((rest[axis] + block[axis] - 1) / block[axis]);
            }
            launch.block = block;
            std::memcpy(launch.parameters.data(), &piece, sizeof piece);
            device.launch(Device::plain, std::move(launch));
        }
    }
}

}  // namespace

void run_on_device(State& state, program::Run& run) {
    Mirror& mirror = *state.mirror;
    for (const auto& [slot, argument] : run.fields) {
        mirror.to_device(state.held[static_cast<std::size_t>(slot)], true);
    }
    for (program::Run::Piece& piece : run.pieces) {
        if (!piece.spans.empty() && !piece.device_spans) {
            piece.device_spans = copied(mirror.device(), piece.spans);
        }
        if (!piece.layers.empty() && !piece.device_layers) {
            piece.device_layers = copied(mirror.device(), piece.layers);
        }
        const halocline_call& call = piece.call;
        BoxArgument box{};
        std::ranges::copy(call.lower, box.lower);
        std::ranges::copy(call.upper, box.upper);
        std::ranges::copy(call.origin, box.origin);
        box.turn = call.turn;
        box.spans = piece.device_spans.get();
        box.span_count = call.span_count;
        box.layers = piece.device_layers.get();
        DeviceLaunch kernel;
        kernel.function = reinterpret_cast<void*>(run.function);
        add(kernel, box);
        for (const auto& [slot, argument] : run.fields) {
            add(kernel, mirror.view(state.held[static_cast<std::size_t>(slot)], piece.block));
        }
        for (const double value : run.scalar_arguments) add(kernel, value);
        std::array<std::int64_t, 3> cells{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            cells[axis] = box.upper[axis] - box.lower[axis];
        if (!piece.spans.empty()) {
            const halocline_span& end = piece.spans.back();
            cells = {end.before + (end.upper - end.lower), 1, 1};
        }
        launch_all(mirror.device(), kernel, box, cells);
    }
}

}  // namespace halocline
