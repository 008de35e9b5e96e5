#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "transport/transport.hpp"

namespace halocline {

Channel::~Channel() = default;

Transport::Transport(int rank, std::vector<int> nodes, std::optional<Link> link)
    : rank_(rank), nodes_(std::move(nodes)), link_(link) {}
Transport::~Transport() = default;

bool Transport::has_node_neighbours() const {
    return std::ranges::count(nodes_, node_of(rank_)) > 1;
}

std::unique_ptr<Channel> Transport::open_on_device(plan::TransportKind /*kind*/, Mirror& /*mirror*/,
                                                   const Messages& /*messages*/) {
    throw std::invalid_argument("A process with a device copies, it has no messages.");
}

std::string Transport::try_device(plan::TransportKind /*kind*/, Device& /*device*/) {
    return {};
}

namespace {

class LocalChannel final : public Channel {
public:
    LocalChannel(const Memory& memory, const Messages& messages)
        : memory_(memory), sends_(messages.sends) {
        if (messages.receives.size() != sends_.size()) {
            throw std::invalid_argument("A single process receives exactly what it sends, got " +
                                        std::to_string(messages.receives.size()) +
                                        " receives and " + std::to_string(sends_.size()) +
                                        " sends.");
        }
        for (const Message* send : sends_) require_partner(messages.receives, *send);
    }

    void start() override {
        boxes_.clear();
        for (const Message* send : sends_) {
            for (const Part& part : send->parts) {
                Part target = part;
                target.storage = part.other_storage;
                target.block = part.other_block;
                target.lower =
                    part.other_lower - memory_.origin(part.other_storage, part.other_block);
                boxes_.push_back(
                    {part.rows(memory_), target.rows(memory_), part.extent, part.element_size});
            }
        }
        copy_boxes(boxes_, memory_.threads);
    }
    void poll() override {}
    [[nodiscard]] std::int64_t arrival_ns(std::size_t /*receive*/) override { return 0; }
    void deliver(std::size_t /*receive*/) override {}
    [[nodiscard]] bool is_finished() override { return true; }

private:
    static void require_partner(const std::vector<Message*>& receives, const Message& send) {
        const auto found = std::ranges::find(receives, send.tag, &Message::tag);
        if (found == receives.end() || (*found)->bytes() != send.bytes()) {
            throw std::invalid_argument("The message with tag " + std::to_string(send.tag) +
                                        " has no receive of the same size in this process.");
        }
    }

    const Memory& memory_;
    std::vector<Message*> sends_;
    std::vector<BoxCopy> boxes_;
};

class LocalTransport final : public Transport {
public:
    LocalTransport() : Transport(0, {0}, std::nullopt) {}

    [[nodiscard]] std::unique_ptr<Channel> open(plan::TransportKind /*kind*/, const Memory& memory,
                                                const Messages& messages) override {
        return std::make_unique<LocalChannel>(memory, messages);
    }
    void connect(const Memory& /*memory*/, std::span<Channel* const> /*channels*/) override {}

    void sum(std::span<std::int64_t> /*values*/) override {}
    void min(std::span<double> /*values*/) override {}
    void max(std::span<double> /*values*/) override {}
};

}  // namespace

std::shared_ptr<Transport> local_transport() {
    return std::make_shared<LocalTransport>();
}

}  // namespace halocline
