#include "runtime/device_reduce.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace halocline {
namespace {

constexpr auto slots = static_cast<std::size_t>(Services::slots);

DeviceCells cells_of(const Mirror& mirror, const State& state, int slot, int component,
                     const LocalBox& local) {
    DeviceCells cells;
    cells.field = mirror.view(state.holds(slot), local.block);
    cells.component = component;
    cells.type = static_cast<std::int64_t>(state.field(slot).type);
    std::ranges::copy(local.box.lower, cells.lower);
    std::ranges::copy(local.box.upper, cells.upper);
    return cells;
}

/// The first value of a component in a box that is not a number, by its number in the box.
NanPlace place_of(const State& state, int slot, const LocalBox& local, int component,
                  std::int64_t number) {
    const Index3 n = local.box.extent();
    const Index3 in_box{number % n[0], number / n[0] % n[1], number / n[0] / n[1]};
    const Index3 origin = state.block(slot, local.block).box.lower;
    const Index3 cell = in_box + local.box.lower + origin;
    return {cell[2], cell[1], cell[0], component};
}

void add(Mirror& mirror, const State& state, const program::Reduce& reduce, Superaccumulator& sum) {
    constexpr std::size_t words = Superaccumulator::words;
    std::byte* const sums = mirror.scratch().fill({{words * slots + words, 0}});
    std::byte* const total = sums + words * slots * sizeof(std::int64_t);
    for (const LocalBox& box : reduce.boxes) {
        mirror.services().sum(cells_of(mirror, state, reduce.slot, reduce.component, box), sums);
    }
    mirror.services().fold(sums, total, words);
    const std::vector<std::int64_t> found = mirror.scratch().read(words * slots);
    sum.add_words(std::span<const std::int64_t, words>(found));
}

void take(Mirror& mirror, const State& state, const program::Reduce& reduce, Extremes& extremes) {
    std::byte* const found =
        mirror.scratch().fill({{slots, extremes.least}, {slots, extremes.greatest}});
    for (const LocalBox& box : reduce.boxes) {
        const DeviceCells cells = cells_of(mirror, state, reduce.slot, reduce.component, box);
        mirror.services().find_extremes(cells, found);
    }
    const std::vector<std::int64_t> ranks = mirror.scratch().read();
    extremes.least = *std::min_element(ranks.begin(), ranks.begin() + slots);
    extremes.greatest = *std::max_element(ranks.begin() + slots, ranks.end());
}

}  // namespace

Partial reduce_on_device(Mirror& mirror, const State& state, const program::Reduce& reduce) {
    Partial found;
    if (reduce.reduction == plan::Reduction::sum)
        add(mirror, state, reduce, found.sum);
    else
        take(mirror, state, reduce, found.extremes);
    return found;
}

NanPlace first_nan_on_device(Mirror& mirror, const State& state, const program::Check& check) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const auto components = static_cast<std::size_t>(state.field(check.slot).components);
    std::byte* const firsts = mirror.scratch().fill({{check.boxes.size() * components, none}});
    for (std::size_t i = 0; i < check.boxes.size() * components; ++i) {
        const auto component = static_cast<int>(i % components);
        const LocalBox& box = check.boxes[i / components];
        mirror.services().find_nan(cells_of(mirror, state, check.slot, component, box),
                                   firsts + i * sizeof none);
    }
    const std::vector<std::int64_t> numbers = mirror.scratch().read();
    NanPlace first = no_nan;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] == none) continue;
        const auto component = static_cast<int>(i % components);
        const LocalBox& box = check.boxes[i / components];
        first = std::min(first, place_of(state, check.slot, box, component, numbers[i]));
    }
    return first;
}

}  // namespace halocline
