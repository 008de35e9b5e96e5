#include "device/mirror.hpp"

namespace halocline {

void Mirror::add(const std::vector<Storage>& host) {
    std::vector<Piece>& pieces = storages_.emplace_back().pieces;
    for (const Storage& block : host) {
        pieces.push_back({block.view(), block.memory(), nullptr, block.layout().size_bytes});
    }
}

void Mirror::to_device(std::size_t storage, bool will_write) {
    if (notes_) notes_->push_back({storage, will_write});
    Fields& fields = storages_[storage];
    if (!fields.is_on_device) {
        // Copying may go on, or messages be unpacked, of what is replaced here.
        order(Device::plain, Device::urgent);
        for (Piece& piece : fields.pieces) {
            if (!piece.memory) piece.memory = device_->allocate(piece.size_bytes);
            device_->copy(Device::plain, piece.memory.get(), piece.host_memory.get(),
                          piece.size_bytes);
        }
        // The host may write into its own memory as soon as this returns.
        device_->synchronize(device_->record(Device::plain));
        fields.is_on_device = true;
    }
    if (will_write) fields.is_on_host = false;
}

void Mirror::to_host(std::size_t storage, bool will_write) {
    Fields& fields = storages_[storage];
    if (!fields.is_on_host) {
        order(Device::plain, Device::urgent);
        for (const Piece& piece : fields.pieces) {
            device_->copy(Device::plain, piece.host_memory.get(), piece.memory.get(),
                          piece.size_bytes);
        }
        device_->synchronize(device_->record(Device::plain));
        fields.is_on_host = true;
    }
    if (will_write) fields.is_on_device = false;
}

halocline_field Mirror::view(std::size_t storage, int block) const {
    const Piece& piece = storages_[storage].pieces[static_cast<std::size_t>(block)];
    const std::ptrdiff_t origin =
        static_cast<const std::byte*>(piece.host.data) - piece.host_memory.get();
    halocline_field view = piece.host;
    view.data = piece.memory.get() + origin;
    return view;
}

std::shared_ptr<std::byte> Mirror::memory(std::size_t storage, int block) const {
    // Given back in this order: the memory, then the device.
    struct Kept {
        std::shared_ptr<Device> device;
        std::shared_ptr<std::byte> memory;
    };
    const Piece& piece = storages_[storage].pieces[static_cast<std::size_t>(block)];
    const auto kept = std::make_shared<Kept>(Kept{device_, piece.memory});
    return {kept, kept->memory.get()};
}

}  // namespace halocline
