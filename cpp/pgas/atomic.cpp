#include "pgas/atomic.hpp"

#include <atomic>

namespace halocline::pgas {
namespace {

template <class Number>
Number apply(std::atomic_ref<Number> atom, Operation operation, Number value) {
    switch (operation) {
        case Operation::add:
            return atom.fetch_add(value);
        case Operation::bitwise_and:
            return atom.fetch_and(value);
        case Operation::bitwise_or:
            return atom.fetch_or(value);
        case Operation::bitwise_xor:
            return atom.fetch_xor(value);
        default:
            return atom.exchange(value);
    }
}

/// Does something with the number at an address, as one of so many bytes.
template <class Action>
std::uint64_t as_number(std::byte* address, std::size_t bytes, const Action& action) {
    if (bytes == sizeof(std::uint64_t)) {
        return action(std::atomic_ref(*reinterpret_cast<std::uint64_t*>(address)));
    }
    return action(std::atomic_ref(*reinterpret_cast<std::uint32_t*>(address)));
}

template <class Number>
Number like(std::atomic_ref<Number> /*atom*/, std::uint64_t value) {
    return static_cast<Number>(value);
}

}  // namespace

std::uint64_t Atomic::fetch(Operation operation, std::uint64_t value) const {
    if (job_.network() != nullptr) {
        return job_.network()->fetch(image_, place(), operation, value, bytes_);
    }
    return as_number(address_, bytes_,
                     [&](auto atom) { return apply(atom, operation, like(atom, value)); });
}

std::uint64_t Atomic::read() const {
    if (job_.network() != nullptr) {
        return job_.network()->fetch(image_, place(), Operation::add, 0, bytes_);
    }
    return as_number(address_, bytes_, [](auto atom) { return atom.load(); });
}

std::uint64_t Atomic::compare_and_swap(std::uint64_t expected, std::uint64_t value) const {
    if (job_.network() != nullptr) {
        return job_.network()->compare_and_swap(image_, place(), expected, value, bytes_);
    }
    return as_number(address_, bytes_, [&](auto atom) {
        auto found = like(atom, expected);
        static_cast<void>(atom.compare_exchange_strong(found, like(atom, value)));
        return found;
    });
}

}  // namespace halocline::pgas
