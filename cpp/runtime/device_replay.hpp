#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/mirror.hpp"
#include "runtime/timeloop.hpp"

namespace halocline {

/// Several steps as one recording of the device: launching each kernel alone would take longer than
/// a short kernel.
///
/// Only steps in which the host has nothing to do but to launch, with the same arguments each time.
class Replays {
public:
    explicit Replays(Mirror& mirror) : mirror_(mirror) {}

    /// Does steps if the device can do them by itself, the first time one by one, the second time
    /// recording them; returns how many.
    [[nodiscard]] std::int64_t advance(const TimeLoop& loop, const Round& round, std::int64_t most);
    /// Forgets what was recorded.
    void clear() { known_.clear(); }

private:
    /// Recorded at once; more than rounds of programs and swaps usually take.
    static constexpr std::int64_t length = 16;

    /// So many programs, one for each step.
    using Steps = std::vector<Program*>;
    /// What runs, and the storages that the slots hold before.
    using Key = std::pair<Steps, std::vector<std::size_t>>;
    struct Known {
        std::vector<Mirror::Use> uses;
        std::vector<std::size_t> held;  // by the slots afterwards
        std::shared_ptr<Recording> recording;
    };

    void replay(const TimeLoop& loop, const Steps& steps);
    void forget_what_changed(const Steps& steps, const State& state);

    Mirror& mirror_;
    std::map<Key, Known> known_;
    std::vector<double> scalars_;    // that all recordings were made with
    std::int64_t mask_version_ = 0;  // likewise
};

}  // namespace halocline
