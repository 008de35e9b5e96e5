#include "runtime/device_reduce.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace halocline {
namespace {

DeviceCells cells_of(const State& state, int slot, int component, const LocalBox& local) {
    DeviceCells cells;
    cells.field = state.mirror()->view(state.holds(slot), local.block);
    cells.component = component;
    cells.type = static_cast<std::int64_t>(state.field(slot).type);
    std::ranges::copy(local.box.lower, cells.lower);
    std::ranges::copy(local.box.upper, cells.upper);
    return cells;
}

/// Puts the newest values into the plain stream's reach.
void prepare(const State& state, int slot) {
    state.mirror()->splits().end();
    state.mirror()->to_device(state.holds(slot), false);
}

constexpr auto slots = static_cast<std::size_t>(Services::slots);

}  // namespace

void add_on_device(const State& state, int slot, int component, const std::vector<LocalBox>& boxes,
                   Superaccumulator& sum) {
    Mirror& mirror = *state.mirror();
    prepare(state, slot);
    constexpr std::size_t words = Superaccumulator::words;
    std::byte* const sums = mirror.scratch().fill({{words * slots + words, 0}});
    std::byte* const total = sums + words * slots * sizeof(std::int64_t);
    for (const LocalBox& box : boxes) {
        mirror.services().sum(cells_of(state, slot, component, box), sums);
    }
    mirror.services().fold(sums, total, words);
    const std::vector<std::int64_t> found = mirror.scratch().read(words * slots);
    sum.add_words(std::span<const std::int64_t, words>(found));
}

void take_on_device(const State& state, int slot, int component, const std::vector<LocalBox>& boxes,
                    Extremes& extremes) {
    Mirror& mirror = *state.mirror();
    prepare(state, slot);
    std::byte* const found =
        mirror.scratch().fill({{slots, extremes.least}, {slots, extremes.greatest}});
    for (const LocalBox& box : boxes) {
        mirror.services().find_extremes(cells_of(state, slot, component, box), found);
    }
    const std::vector<std::int64_t> ranks = mirror.scratch().read();
    extremes.least = *std::min_element(ranks.begin(), ranks.begin() + slots);
    extremes.greatest = *std::max_element(ranks.begin() + slots, ranks.end());
}

std::vector<DeviceNan> nans_on_device(const State& state, int slot,
                                      const std::vector<LocalBox>& boxes) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    Mirror& mirror = *state.mirror();
    prepare(state, slot);
    const auto components = static_cast<std::size_t>(state.field(slot).components);
    std::byte* const firsts = mirror.scratch().fill({{boxes.size() * components, none}});
    for (std::size_t i = 0; i < boxes.size() * components; ++i) {
        const auto component = static_cast<int>(i % components);
        mirror.services().find_nan(cells_of(state, slot, component, boxes[i / components]),
                                   firsts + i * sizeof none);
    }
    const std::vector<std::int64_t> numbers = mirror.scratch().read();
    std::vector<DeviceNan> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] == none) continue;
        const LocalBox& local = boxes[i / components];
        const Index3 n = local.box.extent();
        const Index3 cell{numbers[i] % n[0], numbers[i] / n[0] % n[1], numbers[i] / n[0] / n[1]};
        found.push_back({local.block, static_cast<int>(i % components), local.box.lower + cell});
    }
    return found;
}

}  // namespace halocline
