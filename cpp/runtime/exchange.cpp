#include "runtime/exchange.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "transport/link.hpp"

namespace halocline {
namespace {

void require_rank(const State& state, const plan::Message& message, const std::string& where) {
    if (message.rank < 0 || message.rank >= state.transport->size()) {
        throw std::invalid_argument(where + ": there is no rank " + std::to_string(message.rank) +
                                    "; there are " + std::to_string(state.transport->size()) + ".");
    }
    if (message.tag < 0) {
        throw std::invalid_argument(where + ": negative tag " + std::to_string(message.tag) + ".");
    }
}

/// Notes what the slots hold now.
void hold(const State& state, std::vector<Message>& messages) {
    for (Message& message : messages) {
        for (Part& part : message.parts) {
            part.storage = state.held[static_cast<std::size_t>(part.slot)];
            part.other_storage = state.held[static_cast<std::size_t>(part.other_slot)];
        }
    }
}

}  // namespace

Exchange::Exchange(const State& state, Executor& executor, const plan::Exchange& plan)
    : state_(state), executor_(executor), name_(plan.name) {
    const std::string where = "Exchange '" + name_ + "'";
    transfers_.receives = resolve(plan.receives, where + ", receives");
    transfers_.sends = resolve(plan.sends, where + ", sends");
    std::set<int> slots;
    for (const plan::Copy& copy : plan.copies) {
        transfers_.copies.push_back(resolve(copy));
        slots.insert({copy.source_slot, copy.target_slot});
    }
    transfers_.copied_slots.assign(slots.begin(), slots.end());
    open(plan);
}

std::vector<Message> Exchange::resolve(const std::vector<plan::Message>& messages,
                                       const std::string& where) const {
    std::vector<Message> resolved;
    for (const plan::Message& message : messages) {
        require_rank(state_, message, where);
        Message& next = resolved.emplace_back();
        next.rank = message.rank;
        next.tag = message.tag;
        next.link = state_.transport->link_to(message.rank);
        for (const plan::Part& part : message.parts) {
            require_component(state_, part.slot, part.component, where);
            require_component(state_, part.other_slot, part.component, where);
            const Box box{part.lower, part.lower + part.extent};
            const LocalBox local = localize(state_, part.slot, {part.block, box}, where);
            next.parts.push_back({part.slot, part.other_slot, part.component, part.block,
                                  local.box.lower, part.other_block, part.other_lower, part.extent,
                                  size_of(state_.field(part.slot).type)});
        }
    }
    return resolved;
}

Copy Exchange::resolve(const plan::Copy& copy) const {
    const std::string where = "Exchange '" + name_ + "', copies";
    require_component(state_, copy.source_slot, copy.component, where);
    require_component(state_, copy.target_slot, copy.component, where);
    const Box source{copy.source_lower, copy.source_lower + copy.extent};
    const Box target{copy.target_lower, copy.target_lower + copy.extent};
    const LocalBox from = localize(state_, copy.source_slot, {copy.source_block, source}, where);
    const LocalBox to = localize(state_, copy.target_slot, {copy.target_block, target}, where);
    return {copy.source_slot,  copy.target_slot, copy.component,
            copy.source_block, from.box.lower,   copy.target_block,
            to.box.lower,      copy.extent,      size_of(state_.field(copy.source_slot).type)};
}

void Exchange::open(const plan::Exchange& plan) {
    struct Group {
        Messages messages = {};
        std::vector<std::size_t> receives = {};  // of the exchange
    };
    std::map<plan::TransportKind, Group> groups;
    for (std::size_t i = 0; i < plan.receives.size(); ++i) {
        Group& group = groups[plan.receives[i].transport];
        group.receives.push_back(i);
        group.messages.receives.push_back(&transfers_.receives[i]);
    }
    for (std::size_t i = 0; i < plan.sends.size(); ++i) {
        groups[plan.sends[i].transport].messages.sends.push_back(&transfers_.sends[i]);
    }
    incoming_.resize(plan.receives.size());
    for (auto& [kind, group] : groups) {
        channels_.push_back(executor_.open(kind, group.messages));
        for (std::size_t i = 0; i < group.receives.size(); ++i) {
            incoming_[group.receives[i]] = {channels_.back().get(), i, false};
        }
    }
}

std::vector<Channel*> Exchange::channels() const {
    std::vector<Channel*> channels;
    for (const std::unique_ptr<Channel>& channel : channels_) channels.push_back(channel.get());
    return channels;
}

void Exchange::start() {
    if (is_started_) {
        throw std::logic_error("Exchange '" + name_ + "' was started twice without a wait.");
    }
    is_started_ = true;
    for (Incoming& incoming : incoming_) incoming.is_delivered = false;
    hold(state_, transfers_.receives);
    hold(state_, transfers_.sends);
    executor_.prepare(transfers_);
    for (const std::unique_ptr<Channel>& channel : channels_) channel->start();
    executor_.copy(transfers_);
}

void Exchange::poll() {
    for (const std::unique_ptr<Channel>& channel : channels_) channel->poll();
}

void Exchange::wait(const Progress& progress) {
    while (deliver_more(progress)) {
    }
    finish(progress);
}

bool Exchange::deliver_more(const Progress& progress) {
    require_started();
    const auto is_delivered = [](const Incoming& incoming) { return incoming.is_delivered; };
    if (std::ranges::all_of(incoming_, is_delivered)) return false;
    Backoff backoff(state_.transport->should_sleep());
    while (!deliver_arrived()) {
        progress();
        if (backoff.is_long()) check_neighbours();
        backoff.pause();
    }
    executor_.take_delivered();
    return true;
}

bool Exchange::deliver_arrived() {
    bool has_delivered = false;
    for (Incoming& incoming : incoming_) {
        if (incoming.is_delivered) continue;
        const std::int64_t arrival = incoming.channel->arrival_ns(incoming.position);
        if (arrival == not_arrived || (arrival > 0 && arrival > now_ns())) continue;
        incoming.channel->deliver(incoming.position);
        incoming.is_delivered = has_delivered = true;
    }
    return has_delivered;
}

void Exchange::finish(const Progress& progress) {
    require_started();
    const auto is_finished = [](const auto& channel) { return channel->is_finished(); };
    Backoff backoff(state_.transport->should_sleep());
    while (!std::ranges::all_of(channels_, is_finished)) {
        progress();
        if (backoff.is_long()) check_neighbours();
        backoff.pause();
    }
    is_started_ = false;
}

void Exchange::require_started() const {
    if (is_started_) return;
    throw std::logic_error("Exchange '" + name_ + "' was not started before the wait.");
}

void Exchange::check_neighbours() const {
    state_.transport->check_ranks();
    for (const std::unique_ptr<Channel>& channel : channels_) channel->check_neighbours();
}

}  // namespace halocline
