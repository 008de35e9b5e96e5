#include "transport/backoff.hpp"

#include <chrono>
#include <thread>

#include "pgas/signal.hpp"
#include "transport/link.hpp"

namespace halocline {
namespace {

constexpr int spins = 300;
constexpr int yields = 30;
constexpr std::chrono::microseconds nap{50};
constexpr int pauses_between_looks_at_the_clock = 256;
constexpr std::int64_t check_every_ns = 1000000000;

}  // namespace

void Backoff::pause() {
    ++pauses_;
    if (pauses_ < spins)
        pgas::relax();
    else if (!may_sleep_ || pauses_ < spins + yields)
        pgas::yield_processor();
    else
        std::this_thread::sleep_for(nap);
}

bool Backoff::is_long() {
    if (pauses_ % pauses_between_looks_at_the_clock != 0) return false;
    const std::int64_t now = now_ns();
    if (next_check_ns_ == 0) next_check_ns_ = now + check_every_ns;
    if (now < next_check_ns_) return false;
    next_check_ns_ = now + check_every_ns;
    return true;
}

}  // namespace halocline
