#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pgas/align.hpp"

namespace halocline::pgas {

/// A number in memory that several processes see, on whose change a process can wait. Numbers
/// count up and wrap around.
struct Signal {
    std::atomic<std::uint32_t> value;
    std::atomic<std::uint32_t> sleepers;

    /// Sets or raises the number, after everything that this process has written before; wakes
    /// who sleeps on it.
    void set(std::uint32_t number) {
        value.exchange(number);
        wake_sleepers();
    }
    void add(std::uint32_t number) {
        value.fetch_add(number);
        wake_sleepers();
    }

    [[nodiscard]] std::uint32_t get() const { return value.load(std::memory_order_acquire); }
    /// Whether the number has come to another one.
    [[nodiscard]] bool has(std::uint32_t number) const {
        return static_cast<std::int32_t>(get() - number) >= 0;
    }

    /// Sleeps until the number differs from one, or for a tenth of a second.
    void sleep_while(std::uint32_t number);
    void wake();

private:
    /// A sleeper counts itself and then looks at the number; this looks the other way round. One of
    /// them sees the other, if all processors agree on one order of the four accesses.
    void wake_sleepers() {
        if (sleepers.load(std::memory_order_seq_cst) != 0) wake();
    }
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// A signal in a cache line of its own.
struct alignas(line_bytes) LoneSignal : Signal {};

/// How long to wait awake: as long as every image has a processor a short spin sees a change
/// first; where they share processors the others must have them.
struct SpinPolicy {
    int spins = 0;
    int yields = 0;

    static constexpr int least_spins = 20;

    [[nodiscard]] static SpinPolicy of(int processes, int processors);
};

/// Lets a waiting processor do less for a moment.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Gives the processor to another process that wants it.
void yield_processor();

}  // namespace halocline::pgas
