#pragma once

#include <cstdint>

namespace halocline {

/// A cache line [bytes].
inline constexpr std::int64_t line_bytes = 64;
/// A page of memory, and a large one.
inline constexpr std::int64_t page_bytes = 4096;
inline constexpr std::int64_t huge_page_bytes = std::int64_t{1} << 21;

/// The least multiple of a unit that is not less than a value.
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace halocline
