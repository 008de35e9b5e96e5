#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace halocline {

/// Cell indices and extents along x, y, z.
using Index3 = std::array<std::int64_t, 3>;

[[nodiscard]] constexpr Index3 operator+(const Index3& a, const Index3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

[[nodiscard]] constexpr Index3 operator-(const Index3& a, const Index3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

[[nodiscard]] constexpr Index3 operator*(std::int64_t times, const Index3& a) {
    return {times * a[0], times * a[1], times * a[2]};
}

/// Half-open box of cells [lower, upper); empty if upper <= lower along any axis.
struct Box {
    Index3 lower{};
    Index3 upper{};

    [[nodiscard]] constexpr bool operator==(const Box&) const = default;

    [[nodiscard]] constexpr Index3 extent() const { return upper - lower; }

    [[nodiscard]] constexpr bool is_empty() const {
        return upper[0] <= lower[0] || upper[1] <= lower[1] || upper[2] <= lower[2];
    }

    /// Number of cells.
    [[nodiscard]] constexpr std::int64_t cells() const {
        const Index3 n = extent();
        return is_empty() ? 0 : n[0] * n[1] * n[2];
    }

    /// Whether every cell of `other` is in this box.
    [[nodiscard]] constexpr bool contains(const Box& other) const {
        if (other.is_empty()) return true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (other.lower[axis] < lower[axis] || other.upper[axis] > upper[axis]) return false;
        }
        return true;
    }

    [[nodiscard]] constexpr bool contains(const Index3& cell) const {
        return contains(Box{cell, cell + Index3{1, 1, 1}});
    }

    /// Whether some cell of `other` is in this box.
    [[nodiscard]] constexpr bool meets(const Box& other) const {
        if (is_empty() || other.is_empty()) return false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (other.upper[axis] <= lower[axis] || other.lower[axis] >= upper[axis]) return false;
        }
        return true;
    }

    /// The same cells counted from `origin`.
    [[nodiscard]] constexpr Box relative_to(const Index3& origin) const {
        return {lower - origin, upper - origin};
    }

    /// Larger by `below` towards lower and by `above` towards higher indices.
    [[nodiscard]] constexpr Box grow(const Index3& below, const Index3& above) const {
        return {lower - below, upper + above};
    }
};

[[nodiscard]] inline std::string to_string(const Index3& cell) {
    return "(" + std::to_string(cell[0]) + ", " + std::to_string(cell[1]) + ", " +
           std::to_string(cell[2]) + ")";
}

[[nodiscard]] inline std::string to_string(const Box& box) {
    return "[" + to_string(box.lower) + ", " + to_string(box.upper) + ")";
}

}  // namespace halocline
