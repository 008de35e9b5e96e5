#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/arena.hpp"
#include "core/box.hpp"

namespace halocline {

/// Where the fields of this rank lie. Swaps change which slot holds a storage, not this.
struct Memory {
    int threads = 1;
    std::vector<std::vector<halocline_field>> views;  ///< by storage and block
    std::vector<std::vector<Index3>> origins;         ///< the same: first owned cell, global
    std::shared_ptr<Arena> arena;                     ///< holds the storages; null if private

    [[nodiscard]] const halocline_field& view(std::size_t storage, int block) const {
        return views[storage][static_cast<std::size_t>(block)];
    }
    [[nodiscard]] const Index3& origin(std::size_t storage, int block) const {
        return origins[storage][static_cast<std::size_t>(block)];
    }
};

}  // namespace halocline
