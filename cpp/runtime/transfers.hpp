#pragma once

#include <any>
#include <cstdint>
#include <vector>

#include "core/box.hpp"
#include "transport/message.hpp"

namespace halocline {

/// One component of a field in a box that one block of this rank copies from another.
struct Copy {
    int source_slot = 0;
    int target_slot = 0;
    int component = 0;
    int source_block = 0;
    Index3 source_lower{};  ///< from the first owned cell of the block
    int target_block = 0;
    Index3 target_lower{};
    Index3 extent{};
    std::int64_t element_size = 0;
};

/// All that an exchange moves: messages with other ranks, and copies between blocks of this one.
struct Transfers {
    std::vector<Message> receives = {};
    std::vector<Message> sends = {};
    std::vector<Copy> copies = {};
    std::vector<int> copied_slots = {};  ///< of the copies, each once
    std::any kept = {};                  ///< what the executor keeps for the copies

    /// Whether other ranks are needed.
    [[nodiscard]] bool has_messages() const { return !receives.empty() || !sends.empty(); }
};

}  // namespace halocline
