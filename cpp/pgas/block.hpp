#pragma once

#include <cstdint>
#include <string>

#include "pgas/control.hpp"
#include "pgas/error.hpp"

namespace halocline::pgas {

/// The memory of a node's images: a file without a name, of which the system stores only what has
/// been written.
class Block {
public:
    /// Creates one for so many images, mapped anywhere; children inherit its descriptor.
    [[nodiscard]] static Block create(int images, std::int64_t heap_bytes);
    /// Maps one that another process has created, at the address that it says.
    [[nodiscard]] static Block open(int descriptor);

    /// Moves a block just created to the address at which all images have it.
    void move_to_its_address();

    [[nodiscard]] Control& control() const { return *reinterpret_cast<Control*>(first_); }
    [[nodiscard]] ImageRecord& image_record(int image) const;
    /// Notifications of image `to` by image `from`; both from 0.
    [[nodiscard]] LoneSignal& pair(int from, int to) const;
    [[nodiscard]] std::byte* memory(int image) const;
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    Block(int descriptor, std::byte* first, std::int64_t mapped_bytes, const Layout& layout)
        : descriptor_(descriptor), first_(first), mapped_bytes_(mapped_bytes), layout_(layout) {}

    int descriptor_;
    std::byte* first_;
    std::int64_t mapped_bytes_;
    Layout layout_;
};

/// The memory of this machine [bytes].
[[nodiscard]] std::int64_t machine_bytes();
/// The processors that this process may use.
[[nodiscard]] cpu_set_t usable_processors();

}  // namespace halocline::pgas
