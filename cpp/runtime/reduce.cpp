#include "runtime/reduce.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double combine_extreme(bool is_min, const Extremes& extremes, Transport& transport) {
    // MPI leaves the minimum with a NaN undefined, so a flag travels beside the value.
    std::array<double, 2> values{of_rank(is_min ? extremes.least : extremes.greatest), 0};
    if (extremes.has_nan()) values = {is_min ? infinity : -infinity, is_min ? -1.0 : 1.0};
    if (is_min)
        transport.min(values);
    else
        transport.max(values);
    if (values[1] != 0) return std::nan("");
    // Which of +0 and -0 was met first depends on the order; adding +0 makes both +0.
    return values[0] + 0.0;
}

}  // namespace

void Partial::add(const Partial& other) {
    sum.add(other.sum);
    extremes.least = std::min(extremes.least, other.extremes.least);
    extremes.greatest = std::max(extremes.greatest, other.extremes.greatest);
}

double combine(plan::Reduction reduction, Partial&& partial, Transport& transport) {
    if (reduction != plan::Reduction::sum) {
        return combine_extreme(reduction == plan::Reduction::min, partial.extremes, transport);
    }
    transport.sum(partial.sum.normalized());
    return partial.sum.round();
}

Outlier first_of(const Outlier& mine, Transport& transport) {
    Outlier first;
    bool is_mine_first = !mine.is_none();
    // One number after the other; doubles hold cell indices exactly. Only the first of these
    // collective calls happens unless there is an outlier.
    for (std::size_t i = 0; i < first.place.size(); ++i) {
        std::array<double, 1> value{is_mine_first ? static_cast<double>(mine.place[i]) : infinity};
        transport.min(value);
        if (value[0] == infinity) return {};
        first.place[i] = static_cast<std::int64_t>(value[0]);
        is_mine_first = is_mine_first && mine.place[i] == first.place[i];
    }
    // MPI leaves the minimum with a NaN undefined, so a flag travels beside the value.
    std::array<double, 2> value{infinity, 0};
    if (is_mine_first)
        value = std::isnan(mine.value) ? std::array{0.0, -1.0} : std::array{mine.value, 0.0};
    transport.min(value);
    first.value = value[1] != 0 ? std::nan("") : value[0];
    return first;
}

}  // namespace halocline
