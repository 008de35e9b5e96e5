#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace halocline {

/// Something for each choice of storages that slots have held, made when first asked for.
template <typename T>
class ByStorages {
public:
    /// What there is for some storages. For new ones it becomes what `make` returns.
    template <typename Make>
    [[nodiscard]] const T& of(const std::vector<std::size_t>& storages, const Make& make) {
        const auto known = found_.find(storages);
        if (known != found_.end()) return known->second;
        return found_.emplace(storages, make()).first->second;
    }

private:
    std::map<std::vector<std::size_t>, T> found_;
};

}  // namespace halocline
