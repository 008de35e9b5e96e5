#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "pgas/arena.hpp"

namespace halocline {

/// A field on one block.
struct BlockView {
    halocline_field view{};
    Index3 origin{};  ///< the first owned cell, global
};

/// Where the fields of this rank lie. Swaps change which slot holds a storage, not this.
struct Memory {
    int threads = 1;
    std::vector<std::vector<BlockView>> storages;  ///< by storage and block
    std::shared_ptr<pgas::Arena> arena;            ///< holds the storages; null if private

    [[nodiscard]] const halocline_field& view(std::size_t storage, int block) const {
        return storages[storage][static_cast<std::size_t>(block)].view;
    }
    [[nodiscard]] const Index3& origin(std::size_t storage, int block) const {
        return storages[storage].at(static_cast<std::size_t>(block)).origin;
    }
};

}  // namespace halocline
