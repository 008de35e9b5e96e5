#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/field.hpp"
#include "device/device.hpp"
#include "device/scratch.hpp"
#include "device/services.hpp"
#include "device/splits.hpp"

namespace halocline {

/// The fields of a rank in the memory of its device, beside those in the host's.
///
/// Each storage has its newest values on one side or on both; who wants to use it on a side says
/// so first, and they are copied there. A storage takes memory of the device from its first use.
class Mirror {
public:
    Mirror(std::shared_ptr<Device> device, const ServiceKernels& kernels)
        : device_(std::move(device)),
          services_(*device_, kernels),
          scratch_(*device_, services_),
          splits_(*device_) {}
    Mirror(const Mirror&) = delete;  // the scratch knows its services
    Mirror& operator=(const Mirror&) = delete;
    ~Mirror() = default;

    /// Adds the storage of a field: a piece of the host's memory for each block.
    void add(const std::vector<Storage>& host);
    /// Gives back all pieces of a storage.
    void clear(std::size_t storage) { storages_[storage] = {}; }

    /// Puts the newest values onto the device, before what is put into the stream after this.
    void to_device(std::size_t storage, bool will_write);
    /// Waits until the host has the newest values.
    void to_host(std::size_t storage, bool will_write);

    /// Where a field lies on the device; after 'to_device'.
    [[nodiscard]] halocline_field view(std::size_t storage, int block) const;
    /// The memory that 'view' points into; it keeps the device, too.
    [[nodiscard]] std::shared_ptr<std::byte> memory(std::size_t storage, int block) const;
    [[nodiscard]] Device& device() const { return *device_; }
    [[nodiscard]] const Services& services() const { return services_; }
    [[nodiscard]] Scratch& scratch() { return scratch_; }
    [[nodiscard]] Splits& splits() { return splits_; }

    /// From now on notes who uses which storage on the device; until the notes are taken.
    void begin_notes() { notes_ = std::vector<Use>(); }
    struct Use {
        std::size_t storage;
        bool will_write;
    };
    [[nodiscard]] std::vector<Use> take_notes() {
        return std::exchange(notes_, std::nullopt).value();
    }

    /// Lets a stream do nothing more before all that another has been told.
    void order(int stream, int after) const { device_->wait(stream, device_->record(after)); }

private:
    struct Piece {
        halocline_field host;
        std::shared_ptr<std::byte> host_memory;
        std::shared_ptr<std::byte> memory;
        std::int64_t size_bytes;
    };
    struct Fields {
        std::vector<Piece> pieces;  // by block
        bool is_on_host = true;
        bool is_on_device = false;
    };

    std::shared_ptr<Device> device_;
    Services services_;
    Scratch scratch_;
    Splits splits_;
    std::vector<Fields> storages_;
    std::optional<std::vector<Use>> notes_;
};

}  // namespace halocline
