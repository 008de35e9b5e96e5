#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include "core/elementary.hpp"
#include "core/plan.hpp"

namespace halocline {

/// A number computed of scalars, in double: the same on all ranks. Not thread-safe.
class Formula {
public:
    Formula() = default;
    /// Throws std::invalid_argument where a step names what is not there: an operation, a later
    /// step, or a scalar that is no plain one of those `known`.
    Formula(const std::vector<plan::FormulaStep>& steps, const std::vector<Formula>& known);

    [[nodiscard]] bool is_empty() const { return steps_.empty(); }
    /// Whether it reads one of these scalars.
    [[nodiscard]] bool reads(std::initializer_list<int> scalars) const;
    [[nodiscard]] double value(const std::vector<double>& scalars) const;

private:
    enum class Kind { none, constant, scalar, of_one, of_two, where };
    struct Step {
        Kind kind = Kind::none;
        double value = 0;                       ///< of a constant
        std::array<std::size_t, 3> operands{};  ///< earlier steps; of a scalar its slot
        OfOne<double> of_one = nullptr;
        OfTwo<double> of_two = nullptr;
    };
    std::vector<Step> steps_;
    mutable std::vector<double> results_;  // of the steps; kept, so that nothing is allocated
};

}  // namespace halocline
