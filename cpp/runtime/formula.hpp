#pragma once

#include <initializer_list>
#include <vector>

#include "core/plan.hpp"

namespace halocline {

/// A number computed of scalars, in double: the same on all ranks. Not thread-safe.
class Formula {
public:
    Formula() = default;
    /// Throws std::invalid_argument where a step names what is not there: a later step, or a scalar
    /// that is no plain one of those `known`.
    Formula(std::vector<plan::FormulaStep> steps, const std::vector<Formula>& known);

    [[nodiscard]] bool is_empty() const { return steps_.empty(); }
    /// Whether it reads one of these scalars.
    [[nodiscard]] bool reads(std::initializer_list<int> scalars) const;
    [[nodiscard]] double value(const std::vector<double>& scalars) const;

private:
    std::vector<plan::FormulaStep> steps_;
    mutable std::vector<double> results_;  // of the steps; kept, so that nothing is allocated
};

}  // namespace halocline
