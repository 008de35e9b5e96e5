#include "runtime/device_reduce.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "device/launch.hpp"

namespace halocline {
namespace {

using Words = std::vector<std::int64_t>;

/// Numbers on the device that kernels change and the host then looks at.
class Results {
public:
    Results(const Mirror& mirror, const Words& first)
        : device_(mirror.device()), size_(first.size()), memory_(uploaded(device_, first)) {}

    [[nodiscard]] std::byte* memory() const { return memory_.get(); }
    [[nodiscard]] Words read() const {
        return downloaded<std::int64_t>(device_, memory_.get(), size_);
    }

private:
    Device& device_;
    std::size_t size_;
    std::shared_ptr<std::byte> memory_;
};

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
    const Mirror& mirror = *state.mirror();
    prepare(state, slot);
    const Results results(mirror, Words(Superaccumulator::words * slots));
    for (const LocalBox& box : boxes) {
        mirror.services().sum(cells_of(state, slot, component, box), results.memory());
    }
    const Words words = results.read();
    for (std::size_t i = 0; i < slots; ++i) {
        std::array<std::int64_t, Superaccumulator::words> one;
        for (std::size_t word = 0; word < one.size(); ++word) one[word] = words[word * slots + i];
        sum.add_words(one);
    }
}

void take_on_device(const State& state, int slot, int component, const std::vector<LocalBox>& boxes,
                    Extremes& extremes) {
    const Mirror& mirror = *state.mirror();
    prepare(state, slot);
    Words first(2 * slots, extremes.least);
    std::fill(first.begin() + slots, first.end(), extremes.greatest);
    const Results results(mirror, first);
    for (const LocalBox& box : boxes) {
        mirror.services().find_extremes(cells_of(state, slot, component, box), results.memory());
    }
    const Words ranks = results.read();
    extremes.least = *std::min_element(ranks.begin(), ranks.begin() + slots);
    extremes.greatest = *std::max_element(ranks.begin() + slots, ranks.end());
}

std::vector<DeviceNan> nans_on_device(const State& state, int slot,
                                      const std::vector<LocalBox>& boxes) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const Mirror& mirror = *state.mirror();
    prepare(state, slot);
    const auto components = static_cast<std::size_t>(state.field(slot).components);
    const Results results(mirror, Words(boxes.size() * components, none));
    for (std::size_t i = 0; i < boxes.size() * components; ++i) {
        const auto component = static_cast<int>(i % components);
        mirror.services().find_nan(cells_of(state, slot, component, boxes[i / components]),
                                   results.memory() + i * sizeof none);
    }
    const Words numbers = results.read();
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
