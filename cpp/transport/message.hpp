#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory.hpp"
#include "core/pack.hpp"

namespace halocline {

class Link;

/// One component of a field in one box, with both of its ends.
struct Part {
    int slot = 0;
    int other_slot = 0;
    int component = 0;
    int block = 0;
    Index3 lower{};        ///< from the first owned cell of the block
    int other_block = 0;   ///< among the blocks of the other rank
    Index3 other_lower{};  ///< global
    Index3 extent{};
    std::int64_t element_size = 0;
    // What the slots held when the exchange was started.
    std::size_t storage = 0;
    std::size_t other_storage = 0;

    [[nodiscard]] std::int64_t bytes() const {
        return extent[0] * extent[1] * extent[2] * element_size;
    }
    /// This rank's end.
    [[nodiscard]] Rows rows(const Memory& memory) const {
        return rows_of(memory.view(storage, block), element_size, component, lower);
    }
};

/// What travels at once between this rank and another; it belongs to its exchange.
struct Message {
    int rank = 0;
    int tag = 0;
    std::vector<Part> parts;
    Link* link = nullptr;  ///< the emulated link it crosses, if any

    [[nodiscard]] std::int64_t bytes() const {
        std::int64_t sum = 0;
        for (const Part& part : parts) sum += part.bytes();
        return sum;
    }
};

/// The messages of one exchange that are moved in the same way.
struct Messages {
    std::vector<Message*> receives;
    std::vector<Message*> sends;
};

}  // namespace halocline
