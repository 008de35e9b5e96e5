#pragma once

#include <any>

namespace halocline {

/// What an executor keeps with something that is done again and again, made when first asked for.
template <typename T>
[[nodiscard]] T& kept(std::any& place) {
    if (!place.has_value()) place.emplace<T>();
    return *std::any_cast<T>(&place);
}

}  // namespace halocline
