#include "runtime/exchange.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "runtime/pack.hpp"

namespace halocline {
namespace {

constexpr std::int64_t line_bytes = 64;
/// Every part begins at a multiple of this, so that values of 8 bytes are aligned.
constexpr std::int64_t part_bytes = 8;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

void require_rank(const State& state, const plan::Message& message, const std::string& where) {
    if (message.rank < 0 || message.rank >= state.transport->size()) {
        throw std::invalid_argument(where + ": there is no rank " + std::to_string(message.rank) +
                                    "; there are " + std::to_string(state.transport->size()) + ".");
    }
    if (message.tag < 0) {
        throw std::invalid_argument(where + ": negative tag " + std::to_string(message.tag) + ".");
    }
}

}  // namespace

Exchange::Exchange(const State& state, const plan::Exchange& plan) : name_(plan.name) {
    const std::string where = "Exchange '" + name_ + "'";
    std::vector<Buffer> receives = place(state, plan.receives, receives_, where + ", receives");
    std::vector<Buffer> sends = place(state, plan.sends, sends_, where + ", sends");
    for (const plan::Copy& copy : plan.copies) copies_.push_back(resolve(state, copy));
    channel_ = state.transport->open(std::move(receives), std::move(sends));
}

std::vector<Buffer> Exchange::place(const State& state, const std::vector<plan::Message>& messages,
                                    Messages& parts, const std::string& where) {
    std::vector<Buffer> buffers;
    for (const plan::Message& message : messages) {
        require_rank(state, message, where);
        std::vector<Part>& placed = parts.emplace_back();
        std::vector<std::int64_t> offsets;
        std::int64_t size = 0;
        for (const plan::Part& part : message.parts) {
            require_component(state, part.slot, part.component, where);
            const LocalBox local = localize(state, part.slot, {part.block, part.box}, where);
            const std::int64_t element = size_of(state.field(part.slot).type);
            offsets.push_back(size);
            placed.push_back({part.slot, part.component, part.block, local.box, element, nullptr});
            size += round_up(local.box.cells() * element, part_bytes);
        }
        const auto bytes =
            static_cast<std::size_t>(round_up(std::max(size, line_bytes), line_bytes));
        memory_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(line_bytes, bytes)));
        std::byte* memory = memory_.back().get();
        if (memory == nullptr) throw std::bad_alloc();
        for (std::size_t i = 0; i < placed.size(); ++i) placed[i].buffer = memory + offsets[i];
        // Gaps between parts travel too: give them a value.
        std::fill_n(memory, bytes, std::byte{0});
        buffers.push_back(
            {message.rank, message.tag, std::span(memory, static_cast<std::size_t>(size))});
    }
    return buffers;
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

void Exchange::start(const State& state) {
    if (is_started_) {
        throw std::logic_error("Exchange '" + name_ + "' was started twice without a wait.");
    }
    is_started_ = true;
    channel_->receive();
    for (std::size_t message = 0; message < sends_.size(); ++message) {
        for (const Part& part : sends_[message]) {
            const halocline_field& view = state.view(part.slot, part.block);
            const Index3 extent = part.box.extent();
            copy_rows(rows_of(view, part.element_size, part.component, part.box.lower),
                      rows_of(part.buffer, part.element_size, extent), extent, part.element_size,
                      state.threads);
        }
        channel_->send(message);
    }
    for (const Copy& copy : copies_) {
        const halocline_field& source = state.view(copy.slot, copy.source_block);
        const halocline_field& target = state.view(copy.slot, copy.target_block);
        copy_rows(rows_of(source, copy.element_size, copy.component, copy.source_lower),
                  rows_of(target, copy.element_size, copy.component, copy.target_lower),
                  copy.extent, copy.element_size, state.threads);
    }
}

void Exchange::wait(const State& state) {
    if (!is_started_) {
        throw std::logic_error("Exchange '" + name_ + "' was not started before the wait.");
    }
    channel_->wait_receives();
    for (const std::vector<Part>& message : receives_) {
        for (const Part& part : message) {
            const halocline_field& view = state.view(part.slot, part.block);
            const Index3 extent = part.box.extent();
            copy_rows(rows_of(part.buffer, part.element_size, extent),
                      rows_of(view, part.element_size, part.component, part.box.lower), extent,
                      part.element_size, state.threads);
        }
    }
    channel_->wait_sends();
    is_started_ = false;
}

}  // namespace halocline
