#pragma once

#include <cstdint>

namespace halocline::pgas {

/// The step from one number of SplitMix64 to the next (Steele, Lea and Flood, 2014).
inline constexpr std::uint64_t golden_step = 0x9E3779B97F4A7C15;

/// A number each bit of which depends on all bits of another one: that of SplitMix64 after it.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t number) {
    number += golden_step;
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
    return number ^ (number >> 31);
}

}  // namespace halocline::pgas
