#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/error.hpp"

namespace halocline {

/// A buffer that travels to or from `rank`; the buffer belongs to the exchange.
struct Buffer {
    int rank = 0;
    int tag = 0;
    std::span<std::byte> bytes;
};

/// The messages of one exchange, opened once and used every step.
///
/// Order of calls: receive, send of each message, poll as often as wanted, wait_receives,
/// wait_sends. All calls from one thread.
class HALOCLINE_EXPORT Channel {
public:
    Channel() = default;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    virtual ~Channel();

    /// Makes all receive buffers ready for arriving messages.
    virtual void receive() = 0;
    /// Sends the message with this position in the list of sends.
    virtual void send(std::size_t message) = 0;
    /// Lets messages progress; true once all have been completed.
    virtual bool poll() = 0;
    /// Returns when every receive buffer is filled.
    virtual void wait_receives() = 0;
    /// Returns when every send buffer may be overwritten.
    virtual void wait_sends() = 0;
};

/// How bytes move between ranks. All calls from one thread.
class HALOCLINE_EXPORT Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport();

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Prepares the messages of one exchange; the buffers must outlive the channel.
    [[nodiscard]] virtual std::unique_ptr<Channel> open(std::vector<Buffer> receives,
                                                        std::vector<Buffer> sends) = 0;

    /// Replaces the values by their sums over all ranks.
    virtual void sum(std::span<std::int64_t> values) = 0;
    /// Replaces the values by their minima over all ranks; values are not NaN.
    virtual void min(std::span<double> values) = 0;
    /// Replaces the values by their maxima over all ranks; values are not NaN.
    virtual void max(std::span<double> values) = 0;
};

/// A single process; a message to rank 0 itself is a copy of its buffer.
[[nodiscard]] std::shared_ptr<Transport> local_transport();

}  // namespace halocline
