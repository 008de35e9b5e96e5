#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/cuda_context.hpp"
#include "device/cuda_driver.hpp"

namespace halocline::cuda {

[[nodiscard]] inline Owned<Stream> new_stream(const PrimaryContext& context, int priority) {
    Stream made = nullptr;
    context.check(context.driver.stream_create_with_priority(&made, non_blocking, priority),
                  "making a stream");
    return {made, context.driver.stream_destroy};
}

[[nodiscard]] inline Owned<Event> new_event(const PrimaryContext& context) {
    Event made = nullptr;
    context.check(context.driver.event_create(&made, without_timing), "making an event");
    return {made, context.driver.event_destroy};
}

/// A stream and the points in it that others may wait for.
class Queue {
public:
    Queue(const PrimaryContext& context, int priority)
        : context_(context), stream_(new_stream(context, priority)) {}

    [[nodiscard]] Stream stream() const { return stream_.get(); }

    /// Counts what has been put into the stream.
    void count() { ++put_; }

    /// Returns the position of the last work, with an event there.
    std::uint64_t record() {
        while (!marks_.empty() && is_reached(marks_.front().position)) {
        }
        if (put_ > done_ && (marks_.empty() || marks_.back().position < put_)) {
            marks_.push_back({put_, event()});
            context_.check(context_.driver.event_record(marks_.back().event.get(), stream()),
                           "recording an event");
        }
        return put_;
    }

    [[nodiscard]] bool is_reached(std::uint64_t position) {
        if (position <= done_) return true;
        const Result result = context_.driver.event_query(event_at(position));
        if (result == not_ready) return false;
        context_.check(result, "asking how far it is");
        reach(position);
        return true;
    }

    void synchronize(std::uint64_t position) {
        if (position <= done_) return;
        context_.check(context_.driver.event_synchronize(event_at(position)), "waiting for it");
        reach(position);
    }

    /// Lets another stream do nothing more before a position of this one.
    void hold(Queue& other, std::uint64_t position) {
        if (&other == this || position <= done_) return;
        context_.check(context_.driver.stream_wait_event(other.stream(), event_at(position), 0),
                       "letting streams wait");
        other.count();
    }

private:
    struct Mark {
        std::uint64_t position;
        Owned<Event> event;
    };

    [[nodiscard]] Event event_at(std::uint64_t position) const {
        const auto mark = std::ranges::lower_bound(marks_, position, {}, &Mark::position);
        if (mark == marks_.end()) throw std::logic_error("An event was never recorded.");
        return mark->event.get();
    }

    /// An event that nobody uses.
    [[nodiscard]] Owned<Event> event() {
        if (unused_.empty()) return new_event(context_);
        Owned<Event> last = std::move(unused_.back());
        unused_.pop_back();
        return last;
    }

    /// Notes that the stream has got to a position.
    void reach(std::uint64_t position) {
        done_ = position;
        for (; !marks_.empty() && marks_.front().position <= position; marks_.pop_front()) {
            unused_.push_back(std::move(marks_.front().event));
        }
    }

    const PrimaryContext& context_;
    Owned<Stream> stream_;
    std::uint64_t put_ = 0;
    std::uint64_t done_ = 0;
    std::deque<Mark> marks_;  // beyond 'done_', in order
    std::vector<Owned<Event>> unused_;
};

/// Streams beside another one for what may be done at once.
class Fork {
public:
    Fork(const PrimaryContext& context, int priority)
        : context_(context), priority_(priority), begin_(new_event(context)) {}

    /// Calls `put` with each number before `count` and the stream that it may use; all of them come
    /// after what is in the stream, and what is put there next comes after all of them.
    template <typename Put>
    void each(Stream stream, std::size_t count, const Put& put) {
        const std::size_t others = std::min(count, most) - 1;
        while (branches_.size() < others)
            branches_.push_back({new_stream(context_, priority_), new_event(context_)});
        if (others > 0) record(begin_, stream);
        for (std::size_t i = 0; i < others; ++i) hold(branches_[i].stream.get(), begin_);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t chosen = i % (others + 1);
            put(i, chosen == 0 ? stream : branches_[chosen - 1].stream.get());
        }
        for (std::size_t i = 0; i < others; ++i) {
            record(branches_[i].end, branches_[i].stream.get());
            hold(stream, branches_[i].end);
        }
    }

private:
    static constexpr std::size_t most = 8;  ///< streams, the other one among them

    struct Branch {
        Owned<Stream> stream;
        Owned<Event> end;
    };

    void record(const Owned<Event>& event, Stream stream) const {
        context_.check(context_.driver.event_record(event.get(), stream), "recording an event");
    }
    void hold(Stream stream, const Owned<Event>& event) const {
        context_.check(context_.driver.stream_wait_event(stream, event.get(), 0),
                       "letting streams wait");
    }

    const PrimaryContext& context_;
    int priority_;
    Owned<Event> begin_;
    std::vector<Branch> branches_;
};

}  // namespace halocline::cuda
