#include <utility>

#include "runtime/program.hpp"

namespace halocline {
namespace {

void add(halocline_sink* sink, const double* values, std::int64_t count,
         const halocline_folded* fold) {
    auto& sum = *static_cast<Superaccumulator*>(sink->into);
    const std::span<const double> all(values, static_cast<std::size_t>(count));
    if (fold == nullptr) return sum.add(all);
    const auto folds = static_cast<std::uint64_t>(fold->count);
    const Folded found =
        folded(fold->high, fold->low, fold->changed, fold->lost, folds, sink->high, sink->low);
    sum.add(all, found, sink->high);
    sink->high = sum.high();
    sink->low = Superaccumulator::low_of(sink->high);
}

void compare(halocline_sink* sink, const double* values, std::int64_t count,
             const halocline_folded* /*fold*/) {
    static_cast<Extremes*>(sink->into)->take({values, static_cast<std::size_t>(count)});
}

}  // namespace

halocline_sink ReductionSink::of_thread(std::size_t thread) {
    Partial& mine = partials[thread];
    const double high = mine.sum.high();
    const double low = Superaccumulator::low_of(high);
    if (reduction == plan::Reduction::sum) return {add, &mine.sum, high, low};
    return {compare, &mine.extremes, high, low};
}

Partial ReductionSink::found() {
    Partial all{};
    for (Partial& one : partials) all.add(std::exchange(one, {}));
    return all;
}

}  // namespace halocline
