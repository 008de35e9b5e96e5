#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/half.hpp"
#include "pgas/align.hpp"
#include "pgas/arena.hpp"

namespace halocline {

/// Type of the values of a field.
enum class ElementType {
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64
};

/// The type named as in NumPy; throws std::invalid_argument for other names.
[[nodiscard]] ElementType element_type(std::string_view name);

/// Calls `work` with a zero of the C++ type that `type` stands for.
template <typename Work>
decltype(auto) with_type(ElementType type, Work&& work) {
    switch (type) {
        case ElementType::float16:
            return work(Half{});
        case ElementType::float32:
            return work(float{});
        case ElementType::float64:
            return work(double{});
        case ElementType::int8:
            return work(std::int8_t{});
        case ElementType::int16:
            return work(std::int16_t{});
        case ElementType::int32:
            return work(std::int32_t{});
        case ElementType::int64:
            return work(std::int64_t{});
        case ElementType::uint8:
            return work(std::uint8_t{});
        case ElementType::uint16:
            return work(std::uint16_t{});
        case ElementType::uint32:
            return work(std::uint32_t{});
        case ElementType::uint64:
            break;
    }
    return work(std::uint64_t{});
}

/// Likewise for types of which only float32 and float64 can occur.
template <typename Work>
void with_float(ElementType type, const Work& work) {
    if (type == ElementType::float32) return work(float{});
    work(double{});
}

/// Size of one value [bytes].
[[nodiscard]] inline std::int64_t size_of(ElementType type) {
    return with_type(type, [](auto zero) { return static_cast<std::int64_t>(sizeof(zero)); });
}

/// How the cells of a block are stored.
struct Frame {
    Index3 halo_lower{};
    Index3 halo_upper{};
    /// Rows of owned cells begin at multiples of so many bytes, a power of two.
    std::int64_t alignment = line_bytes;

    bool operator==(const Frame&) const = default;
};

/// What a field is.
struct Field {
    std::string name;
    ElementType type = ElementType::float64;
    int components = 1;
    /// On every block.
    Frame frame{};
    /// Whether the components of a cell are neighbours in memory ('aos'), not its cells ('soa').
    bool is_interleaved = false;
    /// Whose blocks it has values on.
    int space = 0;
    /// Of each block instead, where they differ; none of a block that does not store the field.
    std::vector<std::optional<Frame>> frames{};

    [[nodiscard]] std::optional<Frame> on(int block) const {
        return frames.empty() ? frame : frames.at(static_cast<std::size_t>(block));
    }

    /// The cells that are stored of a block, by those that it owns.
    [[nodiscard]] Box stored(int block, const Box& owned) const {
        const std::optional<Frame> found = on(block);
        if (!found) return {owned.lower, owned.lower};
        return owned.grow(found->halo_lower, found->halo_upper);
    }

    /// Whether two fields have the same blocks and memory layout on each, so that they can swap.
    [[nodiscard]] bool is_alike(const Field& other) const {
        return type == other.type && components == other.components && frame == other.frame &&
               frames == other.frames && is_interleaved == other.is_interleaved &&
               space == other.space;
    }
};

/// Where the values of a field lie in the memory of one block; strides count elements.
struct Layout {
    Layout(const Field& field, int block, const Index3& owned, int slot);

    Box allocated;            ///< owned cells and halo, counted from the first owned cell
    std::int64_t origin;      ///< from the start of memory to cell (0, 0, 0) of component 0
    std::int64_t x;           ///< from one cell of a row to the next
    std::int64_t y;           ///< from one row to the next
    std::int64_t z;           ///< from one plane to the next
    std::int64_t component;   ///< from one component to the next
    std::int64_t size_bytes;  ///< of the whole memory
    std::int64_t alignment;   ///< of the start of memory [bytes]
};

/// The values of one field on one block; shares the memory with whoever still looks at it.
///
/// Cell x = 0 of every row is aligned. The constructor touches every row first from the
/// thread that will compute it; owned cells become zero, the halo poison.
class Storage {
public:
    Storage(const Field& field, const Layout& layout, const Index3& owned,
            std::shared_ptr<std::byte> memory, int threads);

    [[nodiscard]] halocline_field view() const;
    [[nodiscard]] const Layout& layout() const { return layout_; }
    /// The memory, for views that may outlive the runtime.
    [[nodiscard]] std::shared_ptr<std::byte> memory() const { return memory_; }

private:
    Layout layout_;
    ElementType type_;
    std::shared_ptr<std::byte> memory_;
};

/// The values of a field on blocks that own so many cells, in one piece of memory: small blocks
/// share large pages. In the arena if there is one, else in private memory.
[[nodiscard]] std::vector<Storage> store(const Field& field, const std::vector<Index3>& owned,
                                         int slot, int threads, pgas::Arena* arena = nullptr);

/// A field as seen from another cell, which becomes (0, 0, 0).
[[nodiscard]] inline halocline_field moved(halocline_field view, ElementType type,
                                           const Index3& cell) {
    const std::int64_t way = cell[0] * view.x + cell[1] * view.y + cell[2] * view.z;
    view.data = static_cast<std::byte*>(view.data) + way * size_of(type);
    return view;
}

/// The bits of the poison of a type.
[[nodiscard]] std::int64_t poison_bits(ElementType type);

/// Sets the cells of `box` (block-local) of one component to poison: a signalling NaN, or the
/// largest integer.
void poison(const halocline_field& view, ElementType type, int component, const Box& box);

}  // namespace halocline
