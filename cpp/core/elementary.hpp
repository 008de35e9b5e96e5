#pragma once

#include <cstdint>
#include <string_view>

namespace halocline {

/// A function of 'elementary.hpp' of so many numbers in a row.
template <class T>
using OfOne = void (*)(const T* x, T* result, std::int64_t count);
template <class T>
using OfTwo = void (*)(const T* x, const T* y, T* result, std::int64_t count);

/// The function of that name for double or float; null if there is none.
template <class T>
[[nodiscard]] OfOne<T> elementary_of_one(std::string_view name);
template <class T>
[[nodiscard]] OfTwo<T> elementary_of_two(std::string_view name);

}  // namespace halocline
