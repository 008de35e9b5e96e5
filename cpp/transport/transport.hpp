#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/plan.hpp"
#include "transport/handshake.hpp"
#include "transport/link.hpp"
#include "transport/message.hpp"

namespace halocline {

class Device;
class Mirror;

/// What `arrival_ns` says of a message of which nothing is known yet.
constexpr std::int64_t not_arrived = std::numeric_limits<std::int64_t>::max();

/// The messages of one exchange that are moved in the same way, used every step.
///
/// Order of calls: publish and attach once, then start, and after it poll, arrival_ns, deliver of
/// each message once, is_finished as often as wanted, until it says so. All calls from one thread.
class HALOCLINE_EXPORT Channel {
public:
    Channel() = default;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    virtual ~Channel();

    /// Writes what the other ends must know before the first exchange.
    virtual void publish(Handshake& handshake) { static_cast<void>(handshake); }
    /// Reads what the other ends have published.
    virtual void attach(Handshake& handshake) { static_cast<void>(handshake); }

    /// Makes receives ready, and sends what can be sent now.
    virtual void start() = 0;
    /// Lets messages progress.
    virtual void poll() = 0;
    /// When an incoming message may be delivered [ns]: 0 for now, or `not_arrived`.
    [[nodiscard]] virtual std::int64_t arrival_ns(std::size_t receive) = 0;
    /// Puts a message that has arrived where it belongs.
    virtual void deliver(std::size_t receive) = 0;
    /// Whether what was sent may be changed again.
    [[nodiscard]] virtual bool is_finished() = 0;
    /// Throws TransportError if another process, without which this never ends, has died.
    virtual void check_neighbours() const {}
};

/// How bytes move between ranks. All calls from one thread.
class HALOCLINE_EXPORT Transport {
public:
    /// A rank, the node of each rank, and what emulates the links between nodes, if anything does.
    Transport(int rank, std::vector<int> nodes, std::optional<Link> link);
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport();

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
    /// The node of each rank.
    [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }
    [[nodiscard]] bool is_near(int rank) const { return node_of(rank) == node_of(rank_); }
    /// Whether other ranks may want to map the memory of this one.
    [[nodiscard]] bool has_node_neighbours() const;
    /// The emulated link between this rank and another, null if there is none.
    [[nodiscard]] Link* link_to(int rank) { return link_ && !is_near(rank) ? &*link_ : nullptr; }
    [[nodiscard]] bool has_links() const { return link_.has_value(); }
    /// Whether ranks that wait should sleep, since others need their processors.
    [[nodiscard]] virtual bool should_sleep() const { return false; }
    /// Throws TransportError if it is known that another rank has failed.
    virtual void check_ranks() const {}

    /// Prepares messages of one exchange between fields in the host's memory; messages and memory
    /// must outlive the channel.
    [[nodiscard]] virtual std::unique_ptr<Channel> open(plan::TransportKind kind,
                                                        const Memory& memory,
                                                        const Messages& messages) = 0;
    /// Connects the channels that were opened since the last time; all ranks must call it.
    virtual void connect(const Memory& memory, std::span<Channel* const> channels) = 0;

    /// Likewise messages between fields that lie on a device.
    [[nodiscard]] virtual std::unique_ptr<Channel> open_on_device(plan::TransportKind kind,
                                                                  Mirror& mirror,
                                                                  const Messages& messages);
    /// Tries whether a way to send works with a device; all ranks must call it. Returns what this
    /// rank found to be wrong, nothing if it works.
    [[nodiscard]] virtual std::string try_device(plan::TransportKind kind, Device& device);

    /// Replaces the values by their sums over all ranks.
    virtual void sum(std::span<std::int64_t> values) = 0;
    /// Replaces the values by their minima over all ranks; values are not NaN.
    virtual void min(std::span<double> values) = 0;
    /// Replaces the values by their maxima over all ranks; values are not NaN.
    virtual void max(std::span<double> values) = 0;

private:
    [[nodiscard]] int node_of(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

    int rank_;
    std::vector<int> nodes_;
    std::optional<Link> link_;
};

/// A single process; a message to rank 0 itself is a copy.
[[nodiscard]] std::shared_ptr<Transport> local_transport();

}  // namespace halocline
