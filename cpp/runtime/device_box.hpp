#pragma once

#include <cstdint>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// What a kernel of a device gets of a box: 'Box' of codegen/cuda_prelude.py.
struct BoxArgument {
    std::int64_t lower[3];
    std::int64_t upper[3];
    std::int64_t origin[3];
    std::int64_t period[3];
    std::int64_t wrap;
    const void* active_runs;
    std::int64_t active_run_count;
    const void* layers;
    halocline_layer free_of_inlined;
};

/// What the lists of a piece say, which lie on the device.
[[nodiscard]] BoxArgument box_of(const program::Run::Piece& piece, const std::byte* active_runs,
                                 const std::byte* layers);

/// A field of a kernel as a piece of it sees it.
[[nodiscard]] halocline_field field_of(const Mirror& mirror, const State& state,
                                       const program::Run& run, const program::Run::Piece& piece,
                                       std::size_t field);

/// How threads share a piece: those of active runs have a cell each, whatever runs they are in.
[[nodiscard]] Threads shared_of(const program::Run& run, const program::Run::Piece& piece);

/// How many of them there are along each axis.
[[nodiscard]] Index3 threads_of(const program::Run& run, const program::Run::Piece& piece);

/// Threads of a block along each axis, powers of two: those that are wanted, or where there are
/// fewer along an axis more along others, at most so many along z.
[[nodiscard]] Index3 block_of(const Index3& threads, const Index3& wanted, std::int64_t most_z);

}  // namespace halocline
