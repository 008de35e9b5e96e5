#include "bindings/arrays.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace nb = nanobind;

namespace halocline::bindings {
namespace {

nb::dlpack::dtype type_of(const Field& field) {
    return with_type(field.type, []<typename T>(T) {
        if constexpr (std::is_same_v<T, Half>) {
            return nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16,
                                     1};
        } else {
            return nb::dtype<T>();
        }
    });
}

/// The array keeps the memory alive, not the runtime: NumPy's arrays are no part of garbage
/// collection, so a callback that uses one would otherwise keep its runtime forever.
nb::capsule owner_of(std::shared_ptr<std::byte> memory) {
    using Memory = std::shared_ptr<std::byte>;
    auto kept = std::make_unique<Memory>(std::move(memory));
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<Memory*>(p); });
    static_cast<void>(kept.release());
    return owner;
}

struct Shape {
    std::array<std::size_t, 4> extent;
    std::array<std::int64_t, 4> strides;
};

Shape shape_of(const Field& field, const Index3& n, const halocline_field& where) {
    return {{static_cast<std::size_t>(field.components), static_cast<std::size_t>(n[0]),
             static_cast<std::size_t>(n[1]), static_cast<std::size_t>(n[2])},
            {where.component, where.x, where.y, where.z}};
}

}  // namespace

nb::ndarray<nb::numpy> view(const Runtime& runtime, int slot, int block, bool will_write) {
    const halocline_field& where = runtime.view(slot, block, will_write);
    const Field& field = runtime.field(slot);
    const Box& box = runtime.allocated(slot, block);
    const Shape shape = shape_of(field, box.extent(), where);
    const std::int64_t first =
        box.lower[0] * where.x + box.lower[1] * where.y + box.lower[2] * where.z;
    return nb::ndarray<nb::numpy>(static_cast<std::byte*>(where.data) + first * size_of(field.type),
                                  4, shape.extent.data(), owner_of(runtime.memory(slot, block)),
                                  shape.strides.data(), type_of(field));
}

nb::ndarray<nb::array_api> device_view(const Runtime& runtime, int slot, int block,
                                       int dimensions) {
    const KernelView found = runtime.kernel_view(slot, block);
    const Field& field = runtime.field(slot);
    const Shape shape = shape_of(field, runtime.block(slot, block).extent(), found.view);
    const std::size_t skipped = field.components == 1 ? 1 : 0;
    return nb::ndarray<nb::array_api>(
        found.view.data, static_cast<std::size_t>(dimensions) + 1 - skipped,
        shape.extent.data() + skipped, owner_of(found.memory), shape.strides.data() + skipped,
        type_of(field), found.device ? nb::device::cuda::value : nb::device::cpu::value,
        found.device.value_or(0));
}

}  // namespace halocline::bindings
