#include "core/field.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/threads.hpp"
#include "pgas/align.hpp"

namespace halocline {
namespace {

constexpr std::int64_t lines_per_page = page_bytes / line_bytes;

/// Poison that cannot be mistaken for a result: no arithmetic makes a signalling NaN.
template <typename T>
T poison_value() {
    // From bits: loading numeric_limits::signaling_NaN() may make it quiet.
    if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(0x7FF4000000000000ULL);
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(0x7FA00000U);
    else if constexpr (std::is_same_v<T, Half>)
        return Half{0x7D00U};
    else
        return std::numeric_limits<T>::max();
}

/// Distance between the starts of components, in lines modulo a page, so that up to 64 of them
/// are spread over the page and no two compete for the same cache set.
std::int64_t component_spacing(int components) {
    return std::max<std::int64_t>(1, (lines_per_page / components - 1) | 1);
}

/// Where in its page a field starts [lines], so that fields do not compete with each other.
std::int64_t first_line(int components, int slot) {
    const std::int64_t spacing = components == 1 ? 53 : component_spacing(components);
    return slot * (spacing / 2 + 1) % lines_per_page;
}

template <typename T>
void fill_rows(const Storage& storage, const Index3& owned, const Field& field, int threads) {
    const halocline_field view = storage.view();
    const Box& allocated = storage.layout().allocated;
    const auto fill = [&](std::int64_t component, std::int64_t y, std::int64_t z) {
        const bool is_owned = y >= 0 && y < owned[1] && z >= 0 && z < owned[2];
        T* row = static_cast<T*>(view.data) + component * view.component + y * view.y + z * view.z;
        for (std::int64_t x = allocated.lower[0]; x < allocated.upper[0]; ++x) {
            row[x * view.x] = is_owned && x >= 0 && x < owned[0] ? T{} : poison_value<T>();
        }
    };
    // A block within a page of memory is filled by one thread: it lies in one place, whoever does
    // it, and a forest has hundreds, at each of which threads would wait for each other.
    const int sharing = threads_for(storage.layout().size_bytes, threads);
#pragma omp parallel num_threads(sharing) if (sharing > 1)
    for (int component = 0; component < field.components; ++component) {
        // Owned rows as kernels divide them; then the halo rows, wherever they fall.
#pragma omp for collapse(2) schedule(static) nowait
        for (std::int64_t z = 0; z < owned[2]; ++z) {
            for (std::int64_t y = 0; y < owned[1]; ++y) fill(component, y, z);
        }
#pragma omp for collapse(2) schedule(static) nowait
        for (std::int64_t z = allocated.lower[2]; z < allocated.upper[2]; ++z) {
            for (std::int64_t y = allocated.lower[1]; y < allocated.upper[1]; ++y) {
                if (y < 0 || y >= owned[1] || z < 0 || z >= owned[2]) fill(component, y, z);
            }
        }
    }
}

std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) {
    const std::int64_t alignment = size_bytes >= huge_page_bytes ? huge_page_bytes : page_bytes;
    const auto size = static_cast<std::size_t>(round_up(size_bytes, alignment));
    void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment), size);
    if (memory == nullptr) throw std::bad_alloc();
    // Advice only: without huge pages everything still works.
    if (alignment == huge_page_bytes) static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));
    return {static_cast<std::byte*>(memory), std::free};
}

}  // namespace

ElementType element_type(std::string_view name) {
    using enum ElementType;
    constexpr std::array<std::pair<std::string_view, ElementType>, 11> known{{
        {"float16", float16},
        {"float32", float32},
        {"float64", float64},
        {"int8", int8},
        {"int16", int16},
        {"int32", int32},
        {"int64", int64},
        {"uint8", uint8},
        {"uint16", uint16},
        {"uint32", uint32},
        {"uint64", uint64},
    }};
    for (const auto& [text, type] : known) {
        if (name == text) return type;
    }
    throw std::invalid_argument("Unknown element type '" + std::string(name) +
                                "'; expected float16 to float64, int8 to int64 or uint8 to "
                                "uint64.");
}

Layout::Layout(const Field& field, int block, const Index3& owned, int slot)
    // A block of another level of a forest has no cells of this field, and no halo.
    : allocated(Box{{}, owned}.is_empty() ? Box{{}, owned} : field.stored(block, {{}, owned})) {
    const Frame frame = allocated.is_empty() ? Frame{} : *field.on(block);
    const std::int64_t size = size_of(field.type);
    const std::int64_t line = line_bytes / size;
    const std::int64_t page = page_bytes / size;
    const std::int64_t step = std::max<std::int64_t>(1, frame.alignment / size);
    const Index3 n = allocated.extent();
    const int arrays = field.is_interleaved ? 1 : field.components;
    x = field.components / arrays;
    // The halo left of a row lies in the padding at the end of the row before.
    y = round_up(n[0] * x, step);
    if (n[1] > 1 && y % page == 0) y += step;
    z = y * n[1];
    if (n[2] > 1 && z % page == 0) z += step;
    std::int64_t array = z * n[2];
    if (arrays > 1 && array >= page) {
        const std::int64_t target = component_spacing(arrays) * line;
        array += ((target - array) % page + page) % page;
        array = round_up(array, step);
    }
    component = field.is_interleaved ? 1 : array;
    const std::int64_t first_row = round_up(frame.halo_lower[0] * x, step);
    const std::int64_t first = array >= page ? round_up(first_line(arrays, slot) * line, step) : 0;
    origin = first + first_row + frame.halo_lower[1] * y + frame.halo_lower[2] * z;
    size_bytes = (first + first_row + array * arrays) * size;
    // Smaller ones are not spread over a page: ghost patches follow each other, line by line.
    alignment = array >= page ? page_bytes : line_bytes;
}

Storage::Storage(const Field& field, const Layout& layout, const Index3& owned,
                 std::shared_ptr<std::byte> memory, int threads)
    : layout_(layout), type_(field.type), memory_(std::move(memory)) {
    if (layout_.size_bytes == 0) return;  // no cells at all
    with_type(type_, [&]<typename T>(T) { fill_rows<T>(*this, owned, field, threads); });
}

std::vector<Storage> store(const Field& field, const std::vector<Index3>& owned, int slot,
                           int threads, pgas::Arena* arena) {
    std::vector<Layout> layouts;
    std::vector<std::int64_t> starts;
    std::int64_t size_bytes = 0;
    for (std::size_t block = 0; block < owned.size(); ++block) {
        layouts.emplace_back(field, static_cast<int>(block), owned[block], slot);
        starts.push_back(round_up(size_bytes, layouts.back().alignment));
        size_bytes = starts.back() + layouts.back().size_bytes;
    }
    std::shared_ptr<std::byte> memory;
    if (size_bytes > 0) memory = arena ? arena->allocate(size_bytes) : allocate(size_bytes);
    std::vector<Storage> blocks;
    for (std::size_t block = 0; block < owned.size(); ++block) {
        // Without cells a field lies nowhere.
        std::shared_ptr<std::byte> here;
        if (layouts[block].size_bytes > 0) here = {memory, memory.get() + starts[block]};
        blocks.emplace_back(field, layouts[block], owned[block], std::move(here), threads);
    }
    if (arena != nullptr && size_bytes > 0) pgas::Arena::enlarge_pages(memory.get(), size_bytes);
    return blocks;
}

halocline_field Storage::view() const {
    return {memory_.get() + layout_.origin * size_of(type_), layout_.component, layout_.x,
            layout_.y, layout_.z};
}

std::int64_t poison_bits(ElementType type) {
    return with_type(type, []<typename T>(T) {
        const T value = poison_value<T>();
        std::int64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    });
}

void poison(const halocline_field& view, ElementType type, int component, const Box& box) {
    with_type(type, [&]<typename T>(T) {
        T* base = static_cast<T*>(view.data) + component * view.component;
        for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
            for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
                T* row = base + y * view.y + z * view.z;
                for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
                    row[x * view.x] = poison_value<T>();
                }
            }
        }
    });
}

}  // namespace halocline
