#include "runtime/timers.hpp"

namespace halocline {

std::size_t Timers::add(const std::string& kind, const std::string& label) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].kind == kind && entries_[i].label == label) return i;
    }
    entries_.push_back({label, kind});
    return entries_.size() - 1;
}

double Timers::seconds_per_tick() const {
    const auto elapsed = std::chrono::steady_clock::now() - begin_;
    const auto ticks = static_cast<double>(now() - begin_ticks_);
    return std::chrono::duration<double>(elapsed).count() / ticks;
}

std::vector<Timer> Timers::read() const {
    const double tick = seconds_per_tick();
    std::vector<Timer> timers;
    for (const Entry& entry : entries_) {
        timers.push_back(
            {entry.label, entry.kind, entry.count, static_cast<double>(entry.ticks) * tick});
    }
    return timers;
}

void Timers::reset() {
    for (Entry& entry : entries_) {
        entry.count = 0;
        entry.ticks = 0;
    }
}

}  // namespace halocline
