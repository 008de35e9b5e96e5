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

DeviceCells device_cells_of(const Mirror& mirror, const State& state, int slot, int component,
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
                cells.push_back(device_cells_of(mirror, state, slot, component, box));
        }
        return mirror.services().table(cells);
    });
}

const BoxTable& table_of(const Mirror& mirror, const State& state, program::Reduce& reduce) {
    return table_of(mirror, state, reduce.slot, {reduce.component}, reduce.boxes, reduce.kept);
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

bool has_outlier_on_device(Mirror& mirror, const State& state, program::Check& check) {
    std::vector<int> all(static_cast<std::size_t>(state.field(check.slot).components));
    std::iota(all.begin(), all.end(), 0);
    std::byte* const found = mirror.scratch().fill({{1, 0}});
    mirror.services().find_outliers(
        table_of(mirror, state, check.slot, all, check.boxes, check.kept), check.low, check.high,
        found);
    return mirror.scratch().read()[0] != 0;
}

}  // namespace halocline
