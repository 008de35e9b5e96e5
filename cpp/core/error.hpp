#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "pgas/error.hpp"

namespace halocline {

/// A checked field holds a value outside of its limits, or one that is not a number; raised with
/// the same content on every rank.
class HALOCLINE_EXPORT OutOfLimits : public std::runtime_error {
public:
    OutOfLimits(std::string field, std::int64_t step, int component,
                std::array<std::int64_t, 3> cell, double value);
    ~OutOfLimits() override;

    /// Name of the field.
    std::string field;
    /// Number of the step that found it.
    std::int64_t step;
    /// Component of the value.
    int component;
    /// Global cell: the first one in the order z, y, x.
    std::array<std::int64_t, 3> cell;
    double value;
};

/// The condition of a loop does not hold after as many passes as it may do; raised on every rank.
class HALOCLINE_EXPORT Unmet : public std::runtime_error {
public:
    Unmet(int number, std::int64_t passes, std::int64_t step);
    ~Unmet() override;

    /// Of the loop.
    int number;
    std::int64_t passes;
    /// Number of the step that is going on.
    std::int64_t step;
};

}  // namespace halocline
