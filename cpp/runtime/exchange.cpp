#include "runtime/exchange.hpp"

#include <algorithm>
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
        }
    }
}

/// Puts the newest values of what messages concern onto the device.
void to_device(Mirror& mirror, const std::vector<Message>& messages, bool will_write) {
    for (const Message& message : messages) {
        for (const Part& part : message.parts) mirror.to_device(part.storage, will_write);
    }
}

}  // namespace

Exchange::Exchange(const State& state, const plan::Exchange& plan) : name_(plan.name) {
    const std::string where = "Exchange '" + name_ + "'";
    receives_ = resolve(state, plan.receives, where + ", receives");
    sends_ = resolve(state, plan.sends, where + ", sends");
    for (const plan::Copy& copy : plan.copies) copies_.push_back(resolve(state, copy));
    open(state, plan);
}

std::vector<Message> Exchange::resolve(const State& state,
                                       const std::vector<plan::Message>& messages,
                                       const std::string& where) const {
    std::vector<Message> resolved;
    for (const plan::Message& message : messages) {
        require_rank(state, message, where);
        Message& next = resolved.emplace_back();
        next.rank = message.rank;
        next.tag = message.tag;
        next.link = state.transport->link_to(message.rank);
        for (const plan::Part& part : message.parts) {
            require_component(state, part.slot, part.component, where);
            const Box box{part.lower, part.lower + part.extent};
            const LocalBox local = localize(state, part.slot, {part.block, box}, where);
            next.parts.push_back({part.slot, part.component, part.block, local.box.lower,
                                  part.other_block, part.other_lower, part.extent,
                                  size_of(state.field(part.slot).type)});
        }
    }
    return resolved;
}

Exchange::Copy Exchange::resolve(const State& state, const plan::Copy& copy) const {
    const std::string where = "Exchange '" + name_ + "', copies";
    require_component(state, copy.slot, copy.component, where);
    const Box source{copy.source_lower, copy.source_lower + copy.extent};
    const Box target{copy.target_lower, copy.target_lower + copy.extent};
    const LocalBox from = localize(state, copy.slot, {copy.source_block, source}, where);
    const LocalBox to = localize(state, copy.slot, {copy.target_block, target}, where);
    return {
        copy.slot,         copy.component, copy.source_block, from.box.lower,
        copy.target_block, to.box.lower,   copy.extent,       size_of(state.field(copy.slot).type)};
}

void Exchange::open(const State& state, const plan::Exchange& plan) {
    incoming_.resize(receives_.size());
    for (const plan::Transport way : plan::transports) {
        Messages messages;
        std::vector<std::size_t> receives;
        for (std::size_t i = 0; i < receives_.size(); ++i) {
            if (plan.receives[i].transport != way) continue;
            receives.push_back(i);
            messages.receives.push_back(&receives_[i]);
        }
        for (std::size_t i = 0; i < sends_.size(); ++i) {
            if (plan.sends[i].transport == way) messages.sends.push_back(&sends_[i]);
        }
        if (messages.receives.empty() && messages.sends.empty()) continue;
        channels_.push_back(state.transport->open(way, state.memory, std::move(messages)));
        for (std::size_t i = 0; i < receives.size(); ++i) {
            incoming_[receives[i]] = {channels_.back().get(), i, false};
        }
    }
}

std::vector<Channel*> Exchange::channels() const {
    std::vector<Channel*> channels;
    for (const std::unique_ptr<Channel>& channel : channels_) channels.push_back(channel.get());
    return channels;
}

void Exchange::start(const State& state) {
    if (is_started_) {
        throw std::logic_error("Exchange '" + name_ + "' was started twice without a wait.");
    }
    is_started_ = true;
    for (Incoming& incoming : incoming_) incoming.is_delivered = false;
    hold(state, receives_);
    hold(state, sends_);
    if (state.mirror()) prepare_device(state);
    for (const std::unique_ptr<Channel>& channel : channels_) channel->start();
    if (state.mirror())
        copy_blocks_on_device(state);
    else
        copy_blocks(state);
}

/// Messages are packed and unpacked in the urgent stream, after all that was computed before.
void Exchange::prepare_device(const State& state) const {
    Mirror& mirror = *state.mirror();
    mirror.splits().end();
    to_device(mirror, sends_, false);
    to_device(mirror, receives_, true);
    for (const Copy& copy : copies_) mirror.to_device(state.holds(copy.slot), true);
    if (!has_messages()) return;
    mirror.order(Device::urgent, Device::plain);
    mirror.splits().begin();
}

/// In the plain stream: kernels that follow may read and write all of it.
void Exchange::copy_blocks_on_device(const State& state) {
    if (copies_.empty()) return;
    const Mirror& mirror = *state.mirror();
    std::vector<std::size_t> storages;
    for (const Copy& copy : copies_) storages.push_back(state.holds(copy.slot));
    const MoveTable& table = copied_on_device_.table(mirror.services(), std::move(storages),
                                                     [&] { return moves(state); });
    mirror.services().move(Device::plain, table);
}

std::vector<Move> Exchange::moves(const State& state) const {
    std::vector<Move> moves;
    for (const Copy& copy : copies_) {
        const auto rows = [&](int block, const Index3& lower) {
            return rows_of(state.mirror()->view(state.holds(copy.slot), block), copy.element_size,
                           copy.component, lower);
        };
        moves.push_back({rows(copy.source_block, copy.source_lower),
                         rows(copy.target_block, copy.target_lower), copy.extent,
                         copy.element_size});
    }
    return moves;
}

void Exchange::copy_blocks(const State& state) const {
    for (const Copy& copy : copies_) {
        const halocline_field& source = state.view(copy.slot, copy.source_block);
        const halocline_field& target = state.view(copy.slot, copy.target_block);
        copy_rows(rows_of(source, copy.element_size, copy.component, copy.source_lower),
                  rows_of(target, copy.element_size, copy.component, copy.target_lower),
                  copy.extent, copy.element_size, state.memory.threads);
    }
}

void Exchange::poll() {
    for (const std::unique_ptr<Channel>& channel : channels_) channel->poll();
}

void Exchange::wait(const State& state) {
    while (deliver_more(state)) {
    }
    finish();
}

bool Exchange::deliver_more(const State& state) {
    require_started();
    const auto is_delivered = [](const Incoming& incoming) { return incoming.is_delivered; };
    if (std::ranges::all_of(incoming_, is_delivered)) return false;
    Backoff backoff;
    while (!deliver_arrived()) {
        poll();
        if (backoff.is_long()) check_neighbours();
        backoff.pause();
    }
    if (state.mirror()) state.mirror()->order(Device::plain, Device::urgent);
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

void Exchange::finish() {
    require_started();
    const auto is_finished = [](const auto& channel) { return channel->is_finished(); };
    Backoff backoff;
    while (!std::ranges::all_of(channels_, is_finished)) {
        poll();
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
    for (const std::unique_ptr<Channel>& channel : channels_) channel->check_neighbours();
}

}  // namespace halocline
