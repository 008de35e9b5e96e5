#pragma once

#include <memory>

#include "transport/device_packets.hpp"
#include "transport/transport.hpp"
#include "transport/wire.hpp"

namespace halocline {

/// Packed messages, sent and received in every exchange.
[[nodiscard]] HALOCLINE_EXPORT std::unique_ptr<Channel> two_sided_channel(Wire& wire,
                                                                          const Memory& memory,
                                                                          const Messages& messages);

/// Messages of a device, which the wire gets from the buffers.
[[nodiscard]] HALOCLINE_EXPORT std::unique_ptr<Channel> device_channel(Wire& wire, Mirror& mirror,
                                                                       const Messages& messages,
                                                                       Buffers buffers);

}  // namespace halocline
