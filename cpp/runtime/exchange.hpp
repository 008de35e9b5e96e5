#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "runtime/executor.hpp"
#include "runtime/state.hpp"
#include "runtime/transfers.hpp"
#include "transport/backoff.hpp"
#include "transport/transport.hpp"

namespace halocline {

/// Lets the messages of all exchanges in flight progress, the one that is waited for among them:
/// its other rank may need those of another one first.
using Progress = std::function<void()>;

/// Brings halos up to date; owns its messages and their channels. Used by one thread.
///
/// A field is known by what its slot holds when the exchange is started; swaps before its end
/// change nothing.
class Exchange {
public:
    /// Throws std::invalid_argument if the plan does not fit the fields and blocks. State and
    /// executor must outlive the exchange.
    Exchange(const State& state, Executor& executor, const plan::Exchange& plan);

    /// Makes receives ready, sends what can be sent, and does the copies inside this process.
    void start();
    /// Delivers every message and returns when what was sent may be changed.
    void wait(const Progress& progress);
    /// Lets the messages progress.
    void poll();

    /// For work meanwhile: waits until at least one more message is delivered. False at the end.
    [[nodiscard]] bool deliver_more(const Progress& progress);
    [[nodiscard]] bool is_delivered(std::size_t receive) const {
        return incoming_[receive].is_delivered;
    }
    /// Returns when all is delivered and what was sent may be changed.
    void finish(const Progress& progress);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Whether it needs other ranks.
    [[nodiscard]] bool has_messages() const { return transfers_.has_messages(); }
    [[nodiscard]] std::size_t receives() const { return incoming_.size(); }
    /// Its channels, to be connected.
    [[nodiscard]] std::vector<Channel*> channels() const;

private:
    struct Incoming {
        Channel* channel;
        std::size_t position;  // among the channel's receives
        bool is_delivered;
    };

    [[nodiscard]] std::vector<Message> resolve(const std::vector<plan::Message>& messages,
                                               const std::string& where) const;
    [[nodiscard]] Copy resolve(const plan::Copy& copy) const;
    void open(const plan::Exchange& plan);
    [[nodiscard]] bool deliver_arrived();
    void require_started() const;
    void check_neighbours() const;

    const State& state_;
    Executor& executor_;
    std::string name_;
    Transfers transfers_;
    // After the messages, so that they are destroyed before them.
    std::vector<std::unique_ptr<Channel>> channels_;
    std::vector<Incoming> incoming_;  // by receive
    bool is_started_ = false;
};

}  // namespace halocline
