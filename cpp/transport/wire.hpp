#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/error.hpp"
#include "transport/message.hpp"

namespace halocline {

/// The buffers of some messages, all of which are sent or all received; used every step.
class HALOCLINE_EXPORT Parcels {
public:
    Parcels() = default;
    Parcels(const Parcels&) = delete;
    Parcels& operator=(const Parcels&) = delete;
    virtual ~Parcels();

    /// Adds a message, which gets the next number; message and buffer must outlive this.
    virtual void add(const Message& message, std::span<std::byte> buffer) = 0;
    /// Begins to send or receive a message.
    virtual void start(std::size_t number) = 0;
    /// Lets messages progress; true when a message has been sent or received.
    [[nodiscard]] virtual bool is_done(std::size_t number) = 0;
    /// Lets messages progress; true when all have been.
    [[nodiscard]] virtual bool are_done() = 0;
};

/// Sends buffers to other ranks. Messages with the same ranks and tag arrive in order.
class HALOCLINE_EXPORT Wire {
public:
    Wire() = default;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    virtual ~Wire();

    [[nodiscard]] virtual std::unique_ptr<Parcels> receives() = 0;
    [[nodiscard]] virtual std::unique_ptr<Parcels> sends() = 0;
};

}  // namespace halocline
