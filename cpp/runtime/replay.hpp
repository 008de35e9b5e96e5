#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/mirror.hpp"
#include "runtime/program.hpp"

namespace halocline {

/// Several steps as one recording of the device: launching each kernel alone would take longer than
/// a short kernel.
///
/// Only steps in which the host has nothing to do but to launch, with the same arguments each time.
class Replays {
public:
    /// Recorded at once; more than rounds of programs and swaps usually take.
    static constexpr std::int64_t length = 16;

    /// So many programs, one for each step.
    using Steps = std::vector<std::vector<program::Operation>*>;

    explicit Replays(Timers& timers) : timers_(timers) {}

    /// Whether the device could do these steps, the first of which has this number, by itself.
    [[nodiscard]] static bool can_replay(const Steps& steps, std::int64_t step, const State& state,
                                         const Parts& parts);
    /// Does them: the first time one by one, the second time recording them.
    void advance(const Steps& steps, State& state, Parts& parts);
    /// Forgets what was recorded: programs have changed.
    void clear() { known_.clear(); }

private:
    /// What runs, and the storages that the slots hold before.
    using Key = std::pair<Steps, std::vector<std::size_t>>;
    struct Known {
        std::vector<Mirror::Use> uses;
        std::vector<std::size_t> held;  // by the slots afterwards
        std::shared_ptr<Recording> recording;
    };

    void run(const Steps& steps, State& state, Parts& parts) const;
    void forget_what_changed(const Steps& steps, const State& state);

    Timers& timers_;
    std::map<Key, Known> known_;
    std::vector<double> scalars_;    // that all recordings were made with
    std::int64_t mask_version_ = 0;  // likewise
};

}  // namespace halocline
