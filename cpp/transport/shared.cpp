#include "transport/shared.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "pgas/align.hpp"
#include "pgas/signal.hpp"

namespace halocline {
namespace {

/// The signals of one message, by number of the round; they lie in the arena of its source.
struct Signals {
    pgas::LoneSignal source;  ///< pull: the cells may be read; push: the halo is filled
    pgas::LoneSignal target;  ///< pull: the cells have been read; push: the halo may be overwritten
};

/// Rows of at most so many bytes are gathered by their owner: in its fields each of them lies in a
/// cache line of its own, all of which would have to travel from one core to the other.
constexpr std::int64_t thin_row_bytes = 16;

bool is_thin(const Part& part) {
    return part.extent[0] * part.element_size <= thin_row_bytes;
}

/// What the owner gathers of a message [bytes].
std::int64_t thin_bytes(const Message& message) {
    std::int64_t sum = 0;
    for (const Part& part : message.parts) sum += is_thin(part) ? part.bytes() : 0;
    return round_up(sum, line_bytes);
}

/// A message between two processes, with the memory at its other end.
struct Shared {
    const Message* message;
    std::shared_ptr<const Neighbour> neighbour;
    Signals* signals;
    std::byte* gathered;  ///< the thin parts, one after the other; in the arena of the source

    [[nodiscard]] bool is_ready(std::uint32_t round) const { return signals->source.has(round); }
};

/// What pulling and pushing have in common: signals in the arena, and who the others are.
class SharedChannel : public Channel {
public:
    SharedChannel(const Memory& memory, const Messages& messages, bool is_gathering)
        : memory_(memory) {
        if (!memory_.arena) {
            throw std::logic_error("A shared transport needs a runtime that shares its fields.");
        }
        for (const Message* message : messages.receives) {
            receives_.push_back({message, nullptr, nullptr, nullptr});
        }
        auto size = static_cast<std::int64_t>(sizeof(Signals));
        for (const Message* message : messages.sends) {
            size += static_cast<std::int64_t>(sizeof(Signals));
            size += is_gathering ? thin_bytes(*message) : 0;
        }
        held_ = memory_.arena->allocate(size);
        std::byte* next = held_.get();
        for (const Message* message : messages.sends) {
            auto* signals = new (next) Signals{};
            sends_.push_back({message, nullptr, signals, next + sizeof(Signals)});
            next += sizeof(Signals) + (is_gathering ? thin_bytes(*message) : 0);
        }
    }

    void publish(Handshake& handshake) override {
        for (const Shared& send : sends_) {
            handshake.write(*send.message, true, {memory_.arena->offset_of(send.signals)});
        }
        for (const Shared& receive : receives_) handshake.write(*receive.message, false, {});
    }

    void attach(Handshake& handshake) override {
        for (Shared& send : sends_) send.neighbour = handshake.neighbour(send.message->rank);
        for (Shared& receive : receives_) {
            receive.neighbour = handshake.neighbour(receive.message->rank);
            const std::int64_t offset = handshake.read(*receive.message, false)[0];
            std::byte* first = receive.neighbour->at(offset);
            receive.signals = reinterpret_cast<Signals*>(first);
            receive.gathered = first + sizeof(Signals);
        }
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        return receives_[receive].is_ready(round_) ? 0 : not_arrived;
    }

    void check_neighbours() const override {
        for (const Shared& send : sends_) send.neighbour->check();
        for (const Shared& receive : receives_) receive.neighbour->check();
    }

protected:
    const Memory& memory_;
    std::vector<Shared> receives_;
    std::vector<Shared> sends_;
    std::vector<BoxCopy> boxes_;  // of the message that is being moved
    std::uint32_t round_ = 0;

private:
    std::shared_ptr<std::byte> held_;
};

class PullChannel final : public SharedChannel {
public:
    PullChannel(const Memory& memory, const Messages& messages)
        : SharedChannel(memory, messages, true) {}

    void start() override {
        ++round_;
        pulled_.assign(receives_.size(), false);
        for (const Shared& send : sends_) {
            gather(send);
            send.signals->source.set(round_);
        }
    }
    /// Pulls what can be pulled: the owner may be waiting for it.
    void poll() override {
        for (std::size_t i = 0; i < receives_.size(); ++i) {
            if (receives_[i].is_ready(round_)) deliver(i);
        }
    }
    void deliver(std::size_t receive) override {
        if (pulled_[receive]) return;
        pulled_[receive] = true;
        const Shared& from = receives_[receive];
        std::byte* gathered = from.gathered;
        boxes_.clear();
        for (const Part& part : from.message->parts) {
            const Rows source = is_thin(part) ? take(gathered, part) : from.neighbour->rows(part);
            boxes_.push_back({source, part.rows(memory_), part.extent, part.element_size});
        }
        copy_boxes(boxes_, memory_.threads);
        from.signals->target.set(round_);
    }
    [[nodiscard]] bool is_finished() override {
        return std::ranges::all_of(
            sends_, [&](const Shared& send) { return send.signals->target.has(round_); });
    }

private:
    void gather(const Shared& to) {
        std::byte* gathered = to.gathered;
        boxes_.clear();
        for (const Part& part : to.message->parts) {
            if (!is_thin(part)) continue;
            boxes_.push_back(
                {part.rows(memory_), take(gathered, part), part.extent, part.element_size});
        }
        copy_boxes(boxes_, memory_.threads);
    }
    /// The rows of a part in a buffer; `gathered` moves on to the next part.
    static Rows take(std::byte*& gathered, const Part& part) {
        std::byte* first = gathered;
        gathered += part.bytes();
        return rows_of(first, part.element_size, part.extent);
    }

    std::vector<bool> pulled_;
};

class PushChannel final : public SharedChannel {
public:
    PushChannel(const Memory& memory, const Messages& messages)
        : SharedChannel(memory, messages, false) {}

    void start() override {
        ++round_;
        for (const Shared& receive : receives_) receive.signals->target.set(round_);
        pushed_.assign(sends_.size(), false);
        poll();
    }
    void poll() override {
        for (std::size_t i = 0; i < sends_.size(); ++i) {
            if (pushed_[i] || !sends_[i].signals->target.has(round_)) continue;
            push(sends_[i]);
            pushed_[i] = true;
        }
    }
    void deliver(std::size_t /*receive*/) override {}
    [[nodiscard]] bool is_finished() override {
        return std::ranges::all_of(pushed_, [](bool is_pushed) { return is_pushed; });
    }

private:
    void push(const Shared& to) {
        boxes_.clear();
        for (const Part& part : to.message->parts) {
            boxes_.push_back(
                {part.rows(memory_), to.neighbour->rows(part), part.extent, part.element_size});
        }
        copy_boxes(boxes_, memory_.threads);
        to.signals->source.set(round_);
    }

    std::vector<bool> pushed_;
};

}  // namespace

std::unique_ptr<Channel> shared_channel(const Memory& memory, const Messages& messages,
                                        bool is_push) {
    if (is_push) return std::make_unique<PushChannel>(memory, messages);
    return std::make_unique<PullChannel>(memory, messages);
}

}  // namespace halocline
