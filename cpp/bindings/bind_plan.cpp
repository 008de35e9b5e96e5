#include "bindings/bind_plan.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace nb = nanobind;

namespace halocline::bindings {
namespace {

using Cells = std::array<std::int64_t, 3>;
using Word = std::string;

/// A run that may go on beside what was run before it.
constexpr const char* late_rim = "late-rim";

/// `tuple` as values of these types, or std::invalid_argument showing what came instead.
template <typename... T>
std::tuple<T...> unpack(nb::handle tuple) {
    std::tuple<T...> values;
    if (!nb::try_cast(tuple, values)) {
        throw std::invalid_argument(
            "Malformed entry of the plan: " + std::string(nb::repr(tuple).c_str()) + ".");
    }
    return values;
}

std::vector<plan::BlockBox> to_boxes(nb::handle sequence) {
    std::vector<plan::BlockBox> boxes;
    for (const nb::handle item : sequence) {
        const auto [block, lower, upper] = unpack<int, Cells, Cells>(item);
        boxes.push_back({block, {lower, upper}});
    }
    return boxes;
}

std::vector<plan::Message> to_messages(nb::handle sequence) {
    std::vector<plan::Message> messages;
    for (const nb::handle item : sequence) {
        const auto [rank, tag, transport, parts] = unpack<int, int, Word, nb::object>(item);
        plan::Message& message =
            messages.emplace_back(plan::Message{rank, tag, to_way(transport), {}});
        for (const nb::handle part : parts) {
            const auto [slot, component, block, lower, other_block, other_lower, extent] =
                unpack<int, int, int, Cells, int, Cells, Cells>(part);
            message.parts.push_back(
                {slot, component, block, lower, other_block, other_lower, extent});
        }
    }
    return messages;
}

plan::Reduction to_reduction(const std::string& name) {
    if (name == "sum") return plan::Reduction::sum;
    if (name == "min") return plan::Reduction::min;
    if (name == "max") return plan::Reduction::max;
    throw std::invalid_argument("Unknown reduction '" + name + "'; expected sum, min or max.");
}

plan::WaitAny to_wait_any(nb::handle item) {
    const auto [w, exchange, pieces] = unpack<Word, int, nb::object>(item);
    plan::WaitAny wait{exchange, {}};
    for (const nb::handle piece : pieces) {
        auto [messages, word, kernel, label, boxes] =
            unpack<std::vector<int>, Word, int, std::string, nb::object>(piece);
        wait.pieces.push_back(
            {std::move(messages), {kernel, std::move(label), to_boxes(boxes), word == late_rim}});
    }
    return wait;
}

plan::Operation to_operation(const std::string& word, nb::handle item) {
    if (word == "run" || word == late_rim) {
        auto [w, kernel, label, boxes] = unpack<Word, int, std::string, nb::object>(item);
        return {plan::Run{kernel, std::move(label), to_boxes(boxes), word == late_rim}};
    }
    if (word == "any") return {to_wait_any(item)};
    if (word == "swap") {
        const auto [w, slot_a, slot_b] = unpack<Word, int, int>(item);
        return {plan::Swap{slot_a, slot_b}};
    }
    if (word == "loop" || word == "every") {
        const auto [w, count, body] = unpack<Word, std::int64_t, nb::sequence>(item);
        if (word == "loop") return {plan::Loop{count, to_operations(body)}};
        return {plan::Every{count, to_operations(body)}};
    }
    if (word == "reduce") {
        const auto [w, name, slot, component, boxes, scalar] =
            unpack<Word, std::string, int, int, nb::object, int>(item);
        return {plan::Reduce{to_reduction(name), slot, component, to_boxes(boxes), scalar}};
    }
    if (word == "poison") {
        auto [w, slot, components, boxes] = unpack<Word, int, std::vector<int>, nb::object>(item);
        return {plan::Poison{slot, std::move(components), to_boxes(boxes)}};
    }
    if (word == "check") {
        const auto [w, slot, boxes] = unpack<Word, int, nb::object>(item);
        return {plan::Check{slot, to_boxes(boxes)}};
    }
    const auto [w, index] = unpack<Word, int>(item);
    if (word == "start") return {plan::Start{index}};
    if (word == "wait") return {plan::Wait{index}};
    if (word == "poll") return {plan::Poll{index}};
    if (word == "call") return {plan::Call{index}};
    throw std::invalid_argument("Unknown operation '" + word + "'.");
}

}  // namespace

plan::Way to_way(const Word& name) {
    // In the order of the enumeration.
    constexpr const char* names[] = {"shared",   "shared-push", "two-sided", "persistent",
                                     "datatype", "put",         "get",       "box-copies",
                                     "via-host", "from-device", "peer"};
    const auto* found = std::ranges::find(names, name);
    if (found != std::end(names)) return static_cast<plan::Way>(found - names);
    throw std::invalid_argument("Unknown transport '" + name +
                                "'; expected shared, shared-push, two-sided, persistent, "
                                "datatype, put, get, box-copies, via-host, from-device or peer.");
}

plan::Exchange to_exchange(std::string name, nb::sequence sends, nb::sequence receives,
                           nb::sequence copies) {
    plan::Exchange exchange{std::move(name), to_messages(sends), to_messages(receives), {}};
    for (const nb::handle item : copies) {
        const auto [slot, component, source, source_lower, target, target_lower, extent] =
            unpack<int, int, int, Cells, int, Cells, Cells>(item);
        exchange.copies.push_back(
            {slot, component, source, source_lower, target, target_lower, extent});
    }
    return exchange;
}

std::vector<plan::Layers> to_layers(nb::sequence layers) {
    std::vector<plan::Layers> result;
    for (const nb::handle item : layers) {
        const auto [block, boxes, unfed] = unpack<int, nb::object, nb::object>(item);
        const auto to_box = [](nb::handle box) {
            const auto [lower, upper] = unpack<Cells, Cells>(box);
            return Box{lower, upper};
        };
        plan::Layers& one = result.emplace_back(plan::Layers{block, {}, to_box(unfed)});
        for (const nb::handle box : boxes) one.boxes.push_back(to_box(box));
    }
    return result;
}

std::vector<plan::Operation> to_operations(nb::sequence operations) {
    std::vector<plan::Operation> result;
    for (const nb::handle item : operations) {
        std::string word;
        const bool is_named = nb::isinstance<nb::sequence>(item) && nb::len(item) > 0 &&
                              nb::try_cast(nb::object(item[0]), word);
        if (!is_named) static_cast<void>(unpack<std::string, int>(item));
        result.push_back(to_operation(word, item));
    }
    return result;
}

}  // namespace halocline::bindings
