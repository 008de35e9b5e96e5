#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/pack.hpp"
#include "device/device.hpp"

namespace halocline {

/// The kernels of 'codegen/cuda_services.py', in its order.
struct ServiceKernels {
    void* move = nullptr;
    void* sum = nullptr;
    void* fold = nullptr;
    void* extremes = nullptr;
    void* find_outliers = nullptr;
};

/// Values of a device that go from one box to another, or one value that goes everywhere.
struct Move {
    Rows source;  ///< without a first value: `value` is meant
    Rows target;
    Index3 extent{};
    std::int64_t element_size = 0;
    std::int64_t value = 0;
};

/// Boxes of values on the device: one launch finds all of them, or neighbours in the table.
struct BoxTable {
    std::shared_ptr<std::byte> pieces;
    std::shared_ptr<std::byte> starts;  ///< the piece of every 2^shift-th value, and the last one
    std::int64_t shift = 0;
    std::vector<std::int64_t> before;  ///< values of the pieces before each, and of all
};

/// One component of a field on the device, in a box of one block.
struct DeviceCells {
    halocline_field field{};
    std::int64_t component = 0;
    std::int64_t type = 0;  ///< an ElementType
    std::int64_t lower[3]{};
    std::int64_t upper[3]{};
};

/// What the runtime does on a device beside the user's kernels.
class Services {
public:
    /// Threads of a sum or an extreme share so many results, each of which the host then combines.
    static constexpr std::int64_t slots = 1024;

    Services(Device& device, const ServiceKernels& kernels) : device_(device), kernels_(kernels) {}

    [[nodiscard]] BoxTable table(const std::vector<Move>& moves) const;
    [[nodiscard]] BoxTable table(const std::vector<DeviceCells>& cells) const;
    /// Puts all moves of a table into a stream.
    void move(int stream, const BoxTable& table) const;
    /// Likewise those from `first` to before `last`.
    void move(int stream, const BoxTable& table, std::size_t first, std::size_t last) const;

    /// Adds values to `slots` exact sums: the first words of all, then the second ones, and so on.
    void sum(const BoxTable& cells, std::byte* words) const;
    /// Adds these sums, of so many words each, to one.
    void fold(const std::byte* words, std::byte* total, std::int64_t words_each) const;
    /// Lowers `slots` least ranks and raises as many greatest ones.
    void find_extremes(const BoxTable& cells, std::byte* ranks) const;
    /// Makes a number 1 if a value is not in [low, high].
    void find_outliers(const BoxTable& cells, double low, double high, std::byte* found) const;

private:
    void visit(const BoxTable& cells, DeviceLaunch launch) const;

    Device& device_;
    ServiceKernels kernels_;
};

}  // namespace halocline
