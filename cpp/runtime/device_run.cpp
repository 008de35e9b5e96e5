#include "runtime/device_run.hpp"

#include <algorithm>
#include <cstring>

#include "device/launch.hpp"

namespace halocline {
namespace {

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
                const std::array<std::int64_t, 3>& cells, int stream) {
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
            device.launch(stream, std::move(launch));
        }
    }
}

/// What the first parameter says of a piece, whose lists are brought to the device.
BoxArgument box_of(Device& device, program::Run::Piece& piece) {
    if (!piece.spans.empty() && !piece.device_spans) {
        piece.device_spans = uploaded(device, piece.spans);
    }
    if (!piece.layers.empty() && !piece.device_layers) {
        piece.device_layers = uploaded(device, piece.layers);
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
    return box;
}

void launch_piece(const State& state, const program::Run& run, program::Run::Piece& piece,
                  int stream) {
    const Mirror& mirror = *state.mirror();
    const BoxArgument box = box_of(mirror.device(), piece);
    DeviceLaunch kernel = launch_of(reinterpret_cast<void*>(run.function), box);
    for (const int slot : run.fields) {
        add_parameter(kernel, mirror.view(state.holds(slot), piece.block));
    }
    for (const double value : run.scalar_arguments) add_parameter(kernel, value);
    std::array<std::int64_t, 3> cells{};
    for (std::size_t axis = 0; axis < 3; ++axis) cells[axis] = box.upper[axis] - box.lower[axis];
    if (!piece.spans.empty()) {
        const halocline_span& end = piece.spans.back();
        cells = {end.before + (end.upper - end.lower), 1, 1};
        if (cells[0] == 0) return;
    }
    launch_all(mirror.device(), kernel, box, cells, stream);
}

std::vector<Move> moves_of(const State& state, const program::Poison& poison) {
    const std::size_t storage = state.holds(poison.slot);
    const ElementType type = state.field(poison.slot).type;
    std::vector<Move> moves;
    for (const LocalBox& box : poison.boxes) {
        for (const int component : poison.components) {
            const Rows rows = rows_of(state.mirror()->view(storage, box.block), size_of(type),
                                      component, box.box.lower);
            moves.push_back({{}, rows, box.box.extent(), size_of(type), poison_bits(type)});
        }
    }
    return moves;
}

}  // namespace

void run_on_device(State& state, program::Run& run) {
    Mirror& mirror = *state.mirror();
    for (std::size_t i = 0; i < run.fields.size(); ++i) {
        mirror.to_device(state.holds(run.fields[i]), run.is_written[i]);
    }
    const int stream = mirror.splits().stream_for(run.kernel, run.is_late_rim);
    for (program::Run::Piece& piece : run.pieces) launch_piece(state, run, piece, stream);
}

void poison_on_device(State& state, program::Poison& poison) {
    Mirror& mirror = *state.mirror();
    const Services& services = mirror.services();
    const std::size_t storage = state.holds(poison.slot);
    mirror.splits().end();
    mirror.to_device(storage, true);
    const MoveTable& table =
        poison.tables.table(services, {storage}, [&] { return moves_of(state, poison); });
    services.move(Device::plain, table);
}

}  // namespace halocline
