#include "pgas/event.hpp"

#include "pgas/atomic.hpp"

namespace halocline::pgas {
namespace {

/// The number as one that images on other nodes change, too.
Atomic number_of(Job& job, LoneSignal& posted) {
    return {job, job.owner_of(&posted), &posted.value, sizeof posted.value};
}

}  // namespace

void Event::post(Job& job) {
    if (job.network() == nullptr)
        posted_.add(1);
    else
        static_cast<void>(number_of(job, posted_).fetch(Operation::add, 1));
}

Outcome Event::wait(Job& job, std::uint32_t count) {
    const Outcome outcome = job.await_any(posted_, [&] { return posted_.get() >= count; });
    if (outcome != Outcome::done) return outcome;
    if (job.network() == nullptr)
        posted_.value.fetch_sub(count);
    else
        static_cast<void>(number_of(job, posted_).fetch(Operation::add, 0U - count));
    return outcome;
}

std::uint32_t Event::count(Job& job) {
    return static_cast<std::uint32_t>(number_of(job, posted_).read());
}

}  // namespace halocline::pgas
