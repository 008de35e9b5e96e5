#include "runtime/formula.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace halocline {
namespace {

using Of1 = OfOne<double>;
using Of2 = OfTwo<double>;

double truth(bool value) {
    return value ? 1.0 : 0.0;
}

/// What is left of a quotient rounded down: it has the sign of the divisor (NumPy's 'remainder').
double floor_rest(double a, double b) {
    const double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

/// A quotient rounded down (NumPy's 'floor_divide').
double floor_quotient(double a, double b) {
    if (b == 0) return a / b;
    const double rest = std::fmod(a, b);
    const bool is_below = rest != 0 && (rest < 0) != (b < 0);
    const double quotient = (a - rest) / b - (is_below ? 1.0 : 0.0);
    if (quotient == 0) return std::copysign(0.0, a / b);
    const double whole = std::floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

/// Functions of numbers as functions of rows of one.
template <auto function>
void one(const double* x, double* result, std::int64_t) {
    *result = function(*x);
}
template <auto function>
void two(const double* x, const double* y, double* result, std::int64_t) {
    *result = function(*x, *y);
}

constexpr std::pair<std::string_view, Of1> of_one[] = {
    {"neg", one<[](double a) { return -a; }>},
    {"abs", one<[](double a) { return std::abs(a); }>},
    {"sqrt", one<[](double a) { return std::sqrt(a); }>},
    {"round", one<[](double a) { return std::nearbyint(a); }>},
    {"invert", one<[](double a) { return truth(a == 0); }>},
};

constexpr std::pair<std::string_view, Of2> of_two[] = {
    {"add", two<[](double a, double b) { return a + b; }>},
    {"sub", two<[](double a, double b) { return a - b; }>},
    {"mul", two<[](double a, double b) { return a * b; }>},
    {"div", two<[](double a, double b) { return a / b; }>},
    {"floordiv", two<floor_quotient>},
    {"mod", two<floor_rest>},
    {"min", two<[](double a, double b) { return b < a ? b : a; }>},
    {"max", two<[](double a, double b) { return a < b ? b : a; }>},
    {"and", two<[](double a, double b) { return truth(a != 0 && b != 0); }>},
    {"or", two<[](double a, double b) { return truth(a != 0 || b != 0); }>},
    {"xor", two<[](double a, double b) { return truth((a != 0) != (b != 0)); }>},
    {"lt", two<[](double a, double b) { return truth(a < b); }>},
    {"le", two<[](double a, double b) { return truth(a <= b); }>},
    {"gt", two<[](double a, double b) { return truth(a > b); }>},
    {"ge", two<[](double a, double b) { return truth(a >= b); }>},
    {"eq", two<[](double a, double b) { return truth(a == b); }>},
    {"ne", two<[](double a, double b) { return truth(a != b); }>},
};

template <typename Table, typename Function>
Function found(const Table& table, std::string_view name, Function elementary) {
    for (const auto& [its, function] : table)
        if (its == name) return function;
    return elementary;
}

}  // namespace

Formula::Formula(const std::vector<plan::FormulaStep>& steps, const std::vector<Formula>& known) {
    if (steps.empty()) throw std::invalid_argument("Formula: it has no steps.");
    for (const auto& [operation, value, operands] : steps) {
        Step step{.value = value};
        const bool is_scalar = operation == "scalar";
        const std::size_t count = is_scalar ? known.size() : steps_.size();
        const auto is_there = [&](int operand) {
            const auto number = static_cast<std::size_t>(operand);
            return operand >= 0 && number < count && (!is_scalar || known[number].is_empty());
        };
        const std::size_t wanted = operands.size();
        if (operation == "constant" && wanted == 0) step.kind = Kind::constant;
        if (is_scalar && wanted == 1) step.kind = Kind::scalar;
        if (operation == "where" && wanted == 3) step.kind = Kind::where;
        if (wanted == 1 && !is_scalar) {
            step.of_one = found(of_one, operation, elementary_of_one<double>(operation));
            if (step.of_one != nullptr) step.kind = Kind::of_one;
        }
        if (wanted == 2) {
            step.of_two = found(of_two, operation, elementary_of_two<double>(operation));
            if (step.of_two != nullptr) step.kind = Kind::of_two;
        }
        if (step.kind == Kind::none || !std::ranges::all_of(operands, is_there)) {
            throw std::invalid_argument("Formula: step " + std::to_string(steps_.size()) + ", '" +
                                        operation + "', has other operands than it needs.");
        }
        std::ranges::transform(operands, step.operands.begin(),
                               [](int operand) { return static_cast<std::size_t>(operand); });
        steps_.push_back(step);
    }
    results_.resize(steps_.size());
}

bool Formula::reads(std::initializer_list<int> scalars) const {
    return std::ranges::any_of(steps_, [&](const Step& step) {
        return step.kind == Kind::scalar &&
               std::ranges::count(scalars, static_cast<int>(step.operands[0])) > 0;
    });
}

double Formula::value(const std::vector<double>& scalars) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const auto& [kind, value, operands, of_one, of_two] = steps_[i];
        const double *const a = &results_[operands[0]], *const b = &results_[operands[1]];
        switch (kind) {
            case Kind::scalar:
                results_[i] = scalars[operands[0]];
                break;
            case Kind::of_one:
                of_one(a, &results_[i], 1);
                break;
            case Kind::of_two:
                of_two(a, b, &results_[i], 1);
                break;
            case Kind::where:
                results_[i] = *a != 0 ? *b : results_[operands[2]];
                break;
            default:
                results_[i] = value;
        }
    }
    return results_.back();
}

}  // namespace halocline
