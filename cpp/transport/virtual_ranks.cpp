#include "transport/virtual_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "transport/backoff.hpp"
#include "transport/link.hpp"
#include "transport/shared.hpp"
#include "transport/two_sided.hpp"

namespace halocline {

using Bytes = std::vector<std::byte>;

/// What the ranks of a process share.
class VirtualJob {
public:
    VirtualJob(std::vector<int> nodes, std::optional<Link> link)
        : nodes_(std::move(nodes)), link_(link), inboxes_(nodes_.size()), given_(nodes_.size()) {}

    [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }
    [[nodiscard]] std::optional<Link> link() const { return link_; }

    void send(int source, int target, int tag, Bytes bytes) {
        Inbox& inbox = inboxes_[static_cast<std::size_t>(target)];
        const std::scoped_lock lock(inbox.mutex);
        inbox.messages[{source, tag}].push_back(std::move(bytes));
    }

    /// The next message of a source with a tag, if it has arrived.
    [[nodiscard]] std::optional<Bytes> receive(int source, int target, int tag) {
        Inbox& inbox = inboxes_[static_cast<std::size_t>(target)];
        const std::scoped_lock lock(inbox.mutex);
        const auto found = inbox.messages.find({source, tag});
        if (found == inbox.messages.end() || found->second.empty()) return std::nullopt;
        Bytes bytes = std::move(found->second.front());
        found->second.pop_front();
        return bytes;
    }

    /// Replaces the values of each rank by what `combine` makes of those of all, in their order.
    template <class T>
    void reduce(int rank, std::span<T> values, auto combine) {
        given_[static_cast<std::size_t>(rank)] = values.data();
        meet();
        const auto of_rank = [&](void* data) {
            return std::span(static_cast<T*>(data), values.size());
        };
        const std::span<T> first = of_rank(given_.front());
        std::vector<T> result(first.begin(), first.end());
        for (void* data : std::span(given_).subspan(1)) {
            std::ranges::transform(result, of_rank(data), result.begin(), combine);
        }
        meet();  // all have read
        std::ranges::copy(result, values.begin());
    }

    void fail(const std::string& why) {
        const std::scoped_lock lock(mutex_);
        if (failure_.empty()) failure_ = why;
        changed_.notify_all();
    }
    void check() {
        const std::scoped_lock lock(mutex_);
        require_well();
    }

private:
    struct Inbox {
        std::mutex mutex;
        std::map<std::pair<int, int>, std::deque<Bytes>> messages;  // by source and tag
    };

    /// Returns when all ranks have called it.
    void meet() {
        std::unique_lock lock(mutex_);
        require_well();
        const std::int64_t round = round_;
        if (++present_ == nodes_.size()) {
            present_ = 0;
            ++round_;
            changed_.notify_all();
            return;
        }
        changed_.wait(lock, [&] { return round_ != round || !failure_.empty(); });
        if (round_ == round) require_well();
    }
    void require_well() const {
        if (!failure_.empty()) throw TransportError(failure_);
    }

    std::vector<int> nodes_;
    std::optional<Link> link_;
    std::deque<Inbox> inboxes_;
    std::vector<void*> given_;  // what each rank reduces
    std::mutex mutex_;          // of what follows
    std::condition_variable changed_;
    std::string failure_;
    std::size_t present_ = 0;
    std::int64_t round_ = 0;
};

namespace {

/// Messages are copied when they are sent.
class VirtualSends final : public Parcels {
public:
    VirtualSends(VirtualJob& job, int rank) : job_(job), rank_(rank) {}

    void add(const Message& message, std::span<std::byte> buffer) override {
        sends_.emplace_back(&message, buffer);
    }
    void start(std::size_t number) override {
        const auto& [message, buffer] = sends_[number];
        job_.send(rank_, message->rank, message->tag, {buffer.begin(), buffer.end()});
    }
    [[nodiscard]] bool is_done(std::size_t /*number*/) override { return true; }
    [[nodiscard]] bool are_done() override { return true; }

private:
    VirtualJob& job_;
    int rank_;
    std::vector<std::pair<const Message*, std::span<std::byte>>> sends_;
};

class VirtualReceives final : public Parcels {
public:
    VirtualReceives(VirtualJob& job, int rank) : job_(job), rank_(rank) {}

    void add(const Message& message, std::span<std::byte> buffer) override {
        receives_.push_back({&message, buffer, true});
    }
    void start(std::size_t number) override { receives_[number].is_done = false; }
    [[nodiscard]] bool is_done(std::size_t number) override { return is_done(receives_[number]); }
    [[nodiscard]] bool are_done() override {
        return std::ranges::all_of(receives_, [this](Receive& one) { return is_done(one); });
    }

private:
    struct Receive {
        const Message* message;
        std::span<std::byte> buffer;
        bool is_done;
    };

    bool is_done(Receive& one) {
        if (one.is_done) return true;
        const std::optional<Bytes> bytes = job_.receive(one.message->rank, rank_, one.message->tag);
        if (!bytes) return false;
        if (bytes->size() != one.buffer.size()) {
            throw TransportError("a message of " + std::to_string(bytes->size()) +
                                 " bytes came where " + std::to_string(one.buffer.size()) +
                                 " were expected");
        }
        std::ranges::copy(*bytes, one.buffer.begin());
        return one.is_done = true;
    }

    VirtualJob& job_;
    int rank_;
    std::vector<Receive> receives_;
};

class VirtualWire final : public Wire {
public:
    VirtualWire(VirtualJob& job, int rank) : job_(job), rank_(rank) {}

    [[nodiscard]] std::unique_ptr<Parcels> receives() override {
        return std::make_unique<VirtualReceives>(job_, rank_);
    }
    [[nodiscard]] std::unique_ptr<Parcels> sends() override {
        return std::make_unique<VirtualSends>(job_, rank_);
    }

private:
    VirtualJob& job_;
    int rank_;
};

class VirtualTransport final : public Transport {
public:
    VirtualTransport(std::shared_ptr<VirtualJob> job, int rank)
        : Transport(rank, job->nodes(), job->link()), job_(std::move(job)), wire_(*job_, rank) {}

    [[nodiscard]] bool should_sleep() const override {
        return nodes().size() > std::thread::hardware_concurrency();
    }
    void check_ranks() const override { job_->check(); }

    [[nodiscard]] std::unique_ptr<Channel> open(plan::TransportKind kind, const Memory& memory,
                                                const Messages& messages) override {
        switch (kind) {
            case plan::TransportKind::shared:
                return shared_channel(memory, messages, false);
            case plan::TransportKind::shared_push:
                return shared_channel(memory, messages, true);
            case plan::TransportKind::two_sided:
                return two_sided_channel(wire_, memory, messages);
            default:
                throw std::invalid_argument(
                    "Virtual ranks move messages as 'shared', 'shared-push' or 'two-sided'.");
        }
    }

    [[nodiscard]] std::unique_ptr<Channel> open_on_device(plan::TransportKind kind, Mirror& mirror,
                                                          const Messages& messages) override {
        switch (kind) {
            case plan::TransportKind::box_copies:
                return device_channel(wire_, mirror, messages, Buffers::boxes);
            case plan::TransportKind::via_host:
                return device_channel(wire_, mirror, messages, Buffers::host);
            default:
                throw std::invalid_argument(
                    "Virtual ranks move messages of a device as 'via-host' or 'box-copies'.");
        }
    }

    [[nodiscard]] std::string try_device(plan::TransportKind kind, Device& /*device*/) override {
        const bool is_by_host =
            kind == plan::TransportKind::box_copies || kind == plan::TransportKind::via_host;
        return is_by_host ? "" : "virtual ranks exchange messages in the memory of the host";
    }

    void connect(const Memory& memory, std::span<Channel* const> channels) override {
        Handshake handshake;
        for (Channel* channel : channels) channel->publish(handshake);
        const std::vector<int> ranks = handshake.ranks();
        for (const int rank : ranks) {
            const std::vector<std::int64_t> words = handshake.outgoing(rank, memory);
            const auto bytes = std::as_bytes(std::span(words));
            job_->send(this->rank(), rank, handshake_tag, {bytes.begin(), bytes.end()});
        }
        for (const int rank : ranks) handshake.take(rank, words_of(rank));
        for (Channel* channel : channels) channel->attach(handshake);
    }

    void sum(std::span<std::int64_t> values) override { job_->reduce(rank(), values, std::plus{}); }
    void min(std::span<double> values) override {
        job_->reduce(rank(), values, [](double a, double b) { return std::min(a, b); });
    }
    void max(std::span<double> values) override {
        job_->reduce(rank(), values, [](double a, double b) { return std::max(a, b); });
    }

private:
    /// Exchanges have no negative tags.
    static constexpr int handshake_tag = -1;

    /// Waits for the record of a rank.
    [[nodiscard]] std::vector<std::int64_t> words_of(int other) {
        std::optional<Bytes> bytes;
        Backoff backoff(should_sleep());
        while (!(bytes = job_->receive(other, rank(), handshake_tag))) {
            if (backoff.is_long()) job_->check();
            backoff.pause();
        }
        std::vector<std::int64_t> words(bytes->size() / sizeof(std::int64_t));
        std::memcpy(words.data(), bytes->data(), bytes->size());
        return words;
    }

    std::shared_ptr<VirtualJob> job_;
    VirtualWire wire_;
};

}  // namespace

VirtualRanks::VirtualRanks(std::vector<int> nodes, double latency_s, double seconds_per_byte) {
    std::optional<Link> link;
    if (latency_s > 0 || seconds_per_byte > 0) link.emplace(latency_s, seconds_per_byte);
    job_ = std::make_shared<VirtualJob>(std::move(nodes), link);
}

std::shared_ptr<Transport> VirtualRanks::transport(int rank) const {
    if (rank < 0 || static_cast<std::size_t>(rank) >= job_->nodes().size()) {
        throw std::invalid_argument("There is no rank " + std::to_string(rank) + "; there are " +
                                    std::to_string(job_->nodes().size()) + ".");
    }
    return std::make_shared<VirtualTransport>(job_, rank);
}

void VirtualRanks::fail(const std::string& why) const {
    job_->fail(why);
}

}  // namespace halocline
