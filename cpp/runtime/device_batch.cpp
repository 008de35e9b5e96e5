#include "runtime/device_batch.hpp"

#include <bit>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/by_storages.hpp"
#include "device/launch.hpp"
#include "runtime/device_box.hpp"
#include "runtime/kept.hpp"

namespace halocline {
namespace {

/// 'Tile' of codegen/cuda_prelude.py: the first cell of a block of threads.
struct TileArgument {
    std::int32_t piece, x, y, z;
};

/// What 'Piece' there has between its box and its fields.
struct BlockArgument {
    std::int64_t log_x, log_y, log_z;
};

/// The boxes of a kernel on the device, for some storages of its fields.
struct Batch {
    std::shared_ptr<std::byte> active_runs, layers, pieces, tiles;
    std::size_t blocks = 0;  ///< of threads
};

template <typename T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(T));
}

/// Lists of all pieces, one after the other, brought to the device.
template <typename T, typename List>
std::shared_ptr<std::byte> together(Device& device, const program::Run& run, const List& list) {
    std::vector<T> all;
    for (const auto& piece : run.pieces) {
        all.insert(all.end(), list(piece).begin(), list(piece).end());
    }
    return all.empty() ? nullptr : uploaded(device, all);
}

/// The next of such lists.
template <typename T>
const std::byte* next(const std::byte*& place, const std::vector<T>& list) {
    if (list.empty()) return nullptr;
    return std::exchange(place, place + list.size() * sizeof(T));
}

/// Adds the blocks of threads that a piece takes; returns their extent.
Index3 add_tiles(std::vector<TileArgument>& tiles, const program::Run& run, std::size_t number) {
    const program::Run::Piece& piece = run.pieces[number];
    const Threads shared = shared_of(run, piece);
    const Index3 threads = threads_of(run, piece);
    const Index3 block = block_of(threads, shared.block, std::numeric_limits<std::int64_t>::max());
    const Index3 lower = piece.active_runs.empty() ? cells_of(piece.call).lower : Index3{};
    const auto at = [&](std::size_t axis, std::int64_t thread) {
        return static_cast<std::int32_t>(lower[axis] + thread * shared.cells[axis]);
    };
    for (std::int64_t z = 0; z < threads[2]; z += block[2]) {
        for (std::int64_t y = 0; y < threads[1]; y += block[1]) {
            for (std::int64_t x = 0; x < threads[0]; x += block[0])
                tiles.push_back({static_cast<std::int32_t>(number), at(0, x), at(1, y), at(2, z)});
        }
    }
    return block;
}

Batch batch_of(const Mirror& mirror, const State& state, const program::Run& run) {
    Device& device = mirror.device();
    Batch batch;
    using Piece = program::Run::Piece;
    batch.active_runs = together<halocline_active_run>(
        device, run, [](const Piece& piece) -> auto& { return piece.active_runs; });
    batch.layers = together<halocline_layer>(
        device, run, [](const Piece& piece) -> auto& { return piece.layers; });
    const std::byte* active_runs = batch.active_runs.get();
    const std::byte* layers = batch.layers.get();
    std::vector<std::byte> pieces;
    std::vector<TileArgument> tiles;
    for (std::size_t n = 0; n < run.pieces.size(); ++n) {
        const Piece& piece = run.pieces[n];
        const Index3 block = add_tiles(tiles, run, n);
        append(pieces,
               box_of(piece, next(active_runs, piece.active_runs), next(layers, piece.layers)));
        const auto log = [&](std::size_t axis) {
            return std::int64_t{std::countr_zero(static_cast<std::uint64_t>(block[axis]))};
        };
        append(pieces, BlockArgument{log(0), log(1), log(2)});
        for (std::size_t i = 0; i < run.fields.size(); ++i)
            append(pieces, field_of(mirror, state, run, piece, i));
    }
    if (tiles.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("A device was to run " + std::to_string(tiles.size()) +
                                " blocks of threads at once.");
    }
    batch.pieces = uploaded(device, pieces);
    batch.tiles = uploaded(device, tiles);
    batch.blocks = tiles.size();
    return batch;
}

}  // namespace

void add_batch(const Mirror& mirror, const State& state, program::Run& run,
               std::vector<DeviceLaunch>& launches) {
    std::vector<std::size_t> storages;
    for (const int slot : run.fields) storages.push_back(state.holds(slot));
    const Batch& batch = kept<ByStorages<Batch>>(run.kept).of(
        storages, [&] { return batch_of(mirror, state, run); });
    if (batch.blocks == 0) return;
    DeviceLaunch kernel =
        launch_of(reinterpret_cast<void*>(run.function), batch.tiles.get(), batch.pieces.get());
    for (const double value : run.scalar_arguments) add_parameter(kernel, value);
    const Index3& block = run.threads.block;
    kernel.grid = {static_cast<std::uint32_t>(batch.blocks), 1, 1};
    kernel.block = {static_cast<std::uint32_t>(block[0] * block[1] * block[2]), 1, 1};
    launches.push_back(std::move(kernel));
}

}  // namespace halocline
