#include "transport/device_packet.hpp"

namespace halocline {

DevicePacket::DevicePacket(const Message& message, Mirror& mirror, bool is_staged)
    : mirror_(&mirror), packet_(message), buffer_(device().allocate(packet_.size_bytes())) {
    if (is_staged) staging_ = device().allocate_staging(packet_.size_bytes());
    packet_.place(is_staged ? staging_.get() : buffer_.get());
}

void DevicePacket::begin_pack() {
    mirror_->services().move(Device::urgent, table(true));
    if (staging_) {
        device().copy(Device::urgent, staging_.get(), buffer_.get(), packet_.cell_bytes());
    }
    done_ = device().record(Device::urgent);
}

void DevicePacket::begin_unpack() {
    if (staging_) {
        device().copy(Device::urgent, buffer_.get(), staging_.get(), packet_.cell_bytes());
    }
    mirror_->services().move(Device::urgent, table(false));
    done_ = device().record(Device::urgent);
}

const MoveTable& DevicePacket::table(bool is_packed) {
    const std::vector<Part>& parts = packet_.message().parts;
    std::vector<std::size_t> storages;
    for (const Part& part : parts) storages.push_back(part.storage);
    const auto [known, is_new] = tables_.try_emplace(std::move(storages));
    if (!is_new) return known->second;
    std::vector<Move> moves;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        const Rows cells = rows_of(mirror_->view(part.storage, part.block), part.element_size,
                                   part.component, part.lower);
        const Rows packed =
            rows_of(buffer_.get() + packet_.offset(i), part.element_size, part.extent);
        const Rows& source = is_packed ? cells : packed;
        const Rows& target = is_packed ? packed : cells;
        moves.push_back({source, target, part.extent, part.element_size});
    }
    return known->second = mirror_->services().table(moves);
}

}  // namespace halocline
