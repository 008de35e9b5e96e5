#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/services.hpp"

namespace halocline {

/// Numbers on the device that kernels change and the host then looks at; the memory is kept from
/// one use to the next. All is done in the plain stream.
class Scratch {
public:
    /// How many numbers begin with which value, one piece after the other.
    using Pieces = std::vector<std::pair<std::size_t, std::int64_t>>;

    Scratch(Device& device, const Services& services) : device_(device), services_(services) {}

    /// The first of so many numbers, which have these values before what is launched next.
    [[nodiscard]] std::byte* fill(const Pieces& pieces);
    /// Those of the last call of 'fill', from one on, when all that was launched has been done.
    [[nodiscard]] std::vector<std::int64_t> read(std::size_t first = 0) const;

private:
    [[nodiscard]] std::vector<Move> moves(const Pieces& pieces) const;

    Device& device_;
    const Services& services_;
    std::shared_ptr<std::byte> memory_;
    std::size_t room_ = 0;   // numbers that fit
    std::size_t count_ = 0;  // numbers in use
    std::map<Pieces, BoxTable> tables_;
};

}  // namespace halocline
