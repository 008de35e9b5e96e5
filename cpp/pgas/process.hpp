#pragma once

#include <cstdint>

namespace halocline::pgas {

/// A process of this machine. The system gives its number to another one when it has ended: when it
/// was started tells them apart.
struct Process {
    std::int64_t number;
    std::int64_t started;  ///< clock ticks after the machine was; 0 if the system does not say it

    [[nodiscard]] static Process current();
    /// Whether no process has its number. Takes less than 1 us.
    [[nodiscard]] bool is_gone() const;
    /// Whether it runs no more, be it that its parent has not asked for its exit status yet. Takes
    /// some 20 us.
    [[nodiscard]] bool has_ended() const;
};

}  // namespace halocline::pgas
