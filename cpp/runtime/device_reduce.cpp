#include "runtime/device_reduce.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/by_storages.hpp"
#include "runtime/kept.hpp"

namespace halocline {
namespace {

constexpr auto partial_results = static_cast<std::size_t>(Services::slots);

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

/// Some components of a field in boxes, those of a box one after the other, as the device knows
/// them.
const BoxTable& table_of(const Mirror& mirror, const State& state, int slot,
                         const std::vector<int>& components, const std::vector<LocalBox>& boxes,
                         std::any& place) {
    return kept<ByStorages<BoxTable>>(place).of({state.holds(slot)}, [&] {
        std::vector<DeviceCells> cells;
        for (const LocalBox& box : boxes) {
            for (const int component : components)
                cells.push_back(cells_of(mirror, state, slot, component, box));
        }
        return mirror.services().table(cells);
    });
}

const BoxTable& table_of(const Mirror& mirror, const State& state, program::Reduce& reduce) {
    return table_of(mirror, state, reduce.slot, {reduce.component}, reduce.boxes, reduce.kept);
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

void add(Mirror& mirror, const State& state, program::Reduce& reduce, Superaccumulator& sum) {
    constexpr std::size_t words = Superaccumulator::words;
    std::byte* const sums = mirror.scratch().fill({{words * partial_results + words, 0}});
    std::byte* const total = sums + words * partial_results * sizeof(std::int64_t);
    mirror.services().sum(table_of(mirror, state, reduce), sums);
    mirror.services().fold(sums, total, words);
    const std::vector<std::int64_t> found = mirror.scratch().read(words * partial_results);
    sum.add_words(std::span<const std::int64_t, words>(found));
}

void take(Mirror& mirror, const State& state, program::Reduce& reduce, Extremes& extremes) {
    std::byte* const found = mirror.scratch().fill(
        {{partial_results, extremes.least}, {partial_results, extremes.greatest}});
    mirror.services().find_extremes(table_of(mirror, state, reduce), found);
    const std::vector<std::int64_t> ranks = mirror.scratch().read();
    extremes.least = *std::min_element(ranks.begin(), ranks.begin() + partial_results);
    extremes.greatest = *std::max_element(ranks.begin() + partial_results, ranks.end());
}

}  // namespace

Partial reduce_on_device(Mirror& mirror, const State& state, program::Reduce& reduce) {
    Partial found;
    if (reduce.reduction == plan::Reduction::sum)
        add(mirror, state, reduce, found.sum);
    else
        take(mirror, state, reduce, found.extremes);
    return found;
}

NanPlace first_nan_on_device(Mirror& mirror, const State& state, program::Check& check) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::vector<int> all(static_cast<std::size_t>(state.field(check.slot).components));
    std::iota(all.begin(), all.end(), 0);
    const std::size_t components = all.size();
    std::byte* const firsts = mirror.scratch().fill({{check.boxes.size() * components, none}});
    mirror.services().find_nan(table_of(mirror, state, check.slot, all, check.boxes, check.kept),
                               firsts);
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
