#include "runtime/formula.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace halocline {
namespace {

using plan::Calculation;

/// How many operands a calculation has.
std::size_t operands_of(Calculation calculation) {
    if (calculation == Calculation::constant) return 0;
    if (calculation <= Calculation::invert) return 1;
    return calculation == Calculation::where ? 3 : 2;
}

double truth(bool value) {
    return value ? 1.0 : 0.0;
}

/// The functions whose results are not rounded correctly stand here alone.
double of_one(Calculation calculation, double a) {
    switch (calculation) {
        case Calculation::neg:
            return -a;
        case Calculation::abs:
            return std::abs(a);
        case Calculation::sqrt:
            return std::sqrt(a);
        case Calculation::exp:
            return std::exp(a);
        case Calculation::log:
            return std::log(a);
        case Calculation::sin:
            return std::sin(a);
        case Calculation::cos:
            return std::cos(a);
        case Calculation::tanh:
            return std::tanh(a);
        default:
            return truth(a == 0);
    }
}

double of_two(Calculation calculation, double a, double b) {
    switch (calculation) {
        case Calculation::add:
            return a + b;
        case Calculation::sub:
            return a - b;
        case Calculation::mul:
            return a * b;
        case Calculation::div:
            return a / b;
        case Calculation::min:
            return b < a ? b : a;
        case Calculation::max:
            return a < b ? b : a;
        case Calculation::both:
            return truth(a != 0 && b != 0);
        case Calculation::either:
            return truth(a != 0 || b != 0);
        case Calculation::differ:
            return truth((a != 0) != (b != 0));
        case Calculation::lt:
            return truth(a < b);
        case Calculation::le:
            return truth(a <= b);
        case Calculation::gt:
            return truth(a > b);
        case Calculation::ge:
            return truth(a >= b);
        case Calculation::eq:
            return truth(a == b);
        default:
            return truth(a != b);
    }
}

}  // namespace

Formula::Formula(std::vector<plan::FormulaStep> steps, const std::vector<Formula>& known)
    : steps_(std::move(steps)), results_(steps_.size()) {
    if (steps_.empty()) throw std::invalid_argument("Formula: it has no steps.");
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const auto& [calculation, value, operands] = steps_[i];
        const bool is_scalar = calculation == Calculation::scalar;
        const std::size_t count = is_scalar ? known.size() : i;
        const auto is_there = [&](int operand) {
            const auto number = static_cast<std::size_t>(operand);
            return operand >= 0 && number < count && (!is_scalar || known[number].is_empty());
        };
        if (operands.size() != operands_of(calculation) ||
            !std::ranges::all_of(operands, is_there)) {
            throw std::invalid_argument("Formula: step " + std::to_string(i) +
                                        " has other operands than it needs.");
        }
    }
}

bool Formula::reads(std::initializer_list<int> scalars) const {
    return std::ranges::any_of(steps_, [&](const plan::FormulaStep& step) {
        return step.calculation == Calculation::scalar &&
               std::ranges::count(scalars, step.operands[0]) > 0;
    });
}

double Formula::value(const std::vector<double>& scalars) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const auto& [calculation, value, operands] = steps_[i];
        const auto operand = [&](std::size_t n) {
            return results_[static_cast<std::size_t>(operands[n])];
        };
        switch (operands.size()) {
            case 0:
                results_[i] = value;
                break;
            case 1:
                results_[i] = calculation == Calculation::scalar
                                  ? scalars[static_cast<std::size_t>(operands[0])]
                                  : of_one(calculation, operand(0));
                break;
            case 2:
                results_[i] = of_two(calculation, operand(0), operand(1));
                break;
            default:
                results_[i] = operand(0) != 0 ? operand(1) : operand(2);
        }
    }
    return results_.back();
}

}  // namespace halocline
