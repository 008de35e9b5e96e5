#pragma once

#include <bit>
#include <cstdint>

namespace halocline {

/// A number of 16 bits (IEEE 754 binary16): stored, never computed with.
struct Half {
    std::uint16_t bits = 0;

    /// The same number, exactly.
    [[nodiscard]] constexpr explicit operator double() const {
        const std::uint64_t sign = static_cast<std::uint64_t>(bits & 0x8000U) << 48;
        const std::uint64_t exponent = (bits >> 10) & 0x1FU;
        const std::uint64_t fraction = static_cast<std::uint64_t>(bits & 0x3FFU) << 42;
        if (exponent == 0) {
            const double size = static_cast<double>(bits & 0x3FFU) * 0x1p-24;
            return sign != 0 ? -size : size;
        }
        const std::uint64_t wide = exponent == 0x1FU ? 0x7FFU : exponent + (1023 - 15);
        return std::bit_cast<double>(sign | wide << 52 | fraction);
    }

    /// As numbers compare: zeros of both signs are equal, and what is not a number equals nothing.
    [[nodiscard]] constexpr bool operator==(const Half& other) const {
        return static_cast<double>(*this) == static_cast<double>(other);
    }
};

}  // namespace halocline
