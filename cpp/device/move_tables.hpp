#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "device/services.hpp"

namespace halocline {

/// Tables of the same moves between fields, one for each choice of storages that slots have held.
class MoveTables {
public:
    /// The table for some storages. New ones get the moves that `make` returns.
    template <typename Make>
    [[nodiscard]] const MoveTable& table(const Services& services,
                                         std::vector<std::size_t> storages, const Make& make) {
        const auto [known, is_new] = tables_.try_emplace(std::move(storages));
        if (is_new) known->second = services.table(make());
        return known->second;
    }

private:
    std::map<std::vector<std::size_t>, MoveTable> tables_;
};

}  // namespace halocline
