#include <algorithm>
#include <cstring>
#include <memory>

#include "pgas/error.hpp"
#include "pgas/section.hpp"

namespace halocline::pgas {
namespace {

template <class Value>
Value load(const std::byte* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class Value>
void store(std::byte* to, const Value& value) {
    std::memcpy(to, &value, sizeof value);
}

/// Copies `count` values of a fixed size between places that do not overlap; four at a time, so
/// that they do not wait for counting.
template <class Value>
void copy_values(std::byte* to, std::int64_t to_stride, const std::byte* from,
                 std::int64_t from_stride, std::int64_t count) {
    constexpr std::int64_t together = 4;
    for (; count >= together; count -= together) {
        const auto first = load<Value>(from);
        const auto second = load<Value>(from + from_stride);
        const auto third = load<Value>(from + 2 * from_stride);
        const auto fourth = load<Value>(from + 3 * from_stride);
        store(to, first);
        store(to + to_stride, second);
        store(to + 2 * to_stride, third);
        store(to + 3 * to_stride, fourth);
        from += together * from_stride;
        to += together * to_stride;
    }
    for (; count > 0; --count, from += from_stride, to += to_stride) store(to, load<Value>(from));
}

struct Sixteen {
    std::uint64_t halves[2];
};

/// What is done with one run of elements: along the first axis of both sections.
class Run {
public:
    Run(const Element& to, const Element& from) : to_(to), from_(from) {
        if (to.type == Type::character && from.type == Type::character) {
            is_text_ = to.bytes != from.bytes || to.kind != from.kind;
        } else if (to.type != from.type || to.kind != from.kind) {
            convert_ = conversion(to, from);
        }
        if (is_text_ || convert_ != nullptr) return;
        switch (to.bytes) {
            case 1:
                convert_ = copy_values<std::uint8_t>;
                break;
            case 2:
                convert_ = copy_values<std::uint16_t>;
                break;
            case 4:
                convert_ = copy_values<std::uint32_t>;
                break;
            case 8:
                convert_ = copy_values<std::uint64_t>;
                break;
            case 16:
                convert_ = copy_values<Sixteen>;
                break;
            default:
                break;
        }
        is_copy_ = to.type == from.type && to.kind == from.kind;
    }

    void operator()(std::byte* to, const Axis& to_axis, const std::byte* from,
                    const Axis& from_axis) const {
        const bool is_regular = to_axis.offsets == nullptr && from_axis.offsets == nullptr;
        const auto size = static_cast<std::int64_t>(to_.bytes);
        if (is_copy_ && is_regular && to_axis.stride == size && from_axis.stride == size) {
            std::memcpy(to, from, static_cast<std::size_t>(to_axis.count * size));
        } else if (convert_ != nullptr && is_regular) {
            convert_(to, to_axis.stride, from, from_axis.stride, to_axis.count);
        } else {
            for (std::int64_t i = 0; i < to_axis.count; ++i) {
                one(to + to_axis.offset(i), from + from_axis.offset(i));
            }
        }
    }

private:
    void one(std::byte* to, const std::byte* from) const {
        if (is_text_)
            text(to, from);
        else if (convert_ != nullptr)
            convert_(to, 0, from, 0, 1);
        else
            std::memcpy(to, from, to_.bytes);
    }

    /// A string cut or padded with blanks. Characters of four bytes that have no place in one
    /// become '?', as in gfortran's own conversion.
    void text(std::byte* to, const std::byte* from) const {
        const std::size_t to_length = to_.bytes / static_cast<std::size_t>(to_.kind);
        const std::size_t from_length = from_.bytes / static_cast<std::size_t>(from_.kind);
        for (std::size_t i = 0; i < to_length; ++i) {
            const std::uint32_t character = i < from_length ? read(from, i) : ' ';
            write(to, i, character);
        }
    }
    [[nodiscard]] std::uint32_t read(const std::byte* text, std::size_t i) const {
        if (from_.kind == 1) return static_cast<std::uint32_t>(text[i]);
        std::uint32_t character = 0;
        std::memcpy(&character, text + i * sizeof character, sizeof character);
        return character;
    }
    void write(std::byte* text, std::size_t i, std::uint32_t character) const {
        constexpr std::uint32_t largest_byte = 255;
        if (to_.kind == 1) {
            text[i] = static_cast<std::byte>(character > largest_byte ? '?' : character);
        } else {
            std::memcpy(text + i * sizeof character, &character, sizeof character);
        }
    }

    Element to_, from_;
    Convert convert_ = nullptr;
    bool is_text_ = false;
    bool is_copy_ = false;  // elements without gaps are copied as bytes
};

/// Two sections of the same shape with as few axes as possible.
struct Matched {
    Section to, from;

    Matched(const Section& to_, const Section& from_) : to(squeezed(to_)), from(squeezed(from_)) {
        // A scalar goes to all elements.
        for (int axis = from.rank; axis < to.rank; ++axis) {
            from.axes[static_cast<std::size_t>(axis)] = {
                to.axes[static_cast<std::size_t>(axis)].count, 0, nullptr};
        }
        int kept = 0;
        for (int axis = 0; axis < to.rank; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (kept > 0 && is_joined(kept - 1, to.axes[a], from.axes[a])) continue;
            to.axes[static_cast<std::size_t>(kept)] = to.axes[a];
            from.axes[static_cast<std::size_t>(kept)] = from.axes[a];
            ++kept;
        }
        to.rank = kept;
        from.rank = kept;
    }

private:
    /// A section without the axes that have one element.
    static Section squeezed(const Section& section) {
        Section result;
        result.first = section.first;
        result.element = section.element;
        for (int a = 0; a < section.rank; ++a) {
            const Axis& axis = section.axes[static_cast<std::size_t>(a)];
            if (axis.count == 1)
                result.first += axis.offset(0);
            else
                result.axes[static_cast<std::size_t>(result.rank++)] = axis;
        }
        return result;
    }

    /// Joins an axis to the one before if elements go on evenly in both sections.
    bool is_joined(int before, const Axis& target, const Axis& source) {
        Axis& to_axis = to.axes[static_cast<std::size_t>(before)];
        Axis& from_axis = from.axes[static_cast<std::size_t>(before)];
        if (target.offsets != nullptr || source.offsets != nullptr) return false;
        if (to_axis.offsets != nullptr || from_axis.offsets != nullptr) return false;
        if (target.stride != to_axis.count * to_axis.stride) return false;
        if (source.stride != from_axis.count * from_axis.stride) return false;
        to_axis.count *= target.count;
        from_axis.count *= target.count;
        return true;
    }
};

void assign_axes(const Matched& both, int axis, std::byte* to, const std::byte* from,
                 const Run& run) {
    const Axis& target = both.to.axes[static_cast<std::size_t>(axis)];
    const Axis& source = both.from.axes[static_cast<std::size_t>(axis)];
    if (axis == 0) {
        run(to, target, from, source);
        return;
    }
    for (std::int64_t i = 0; i < target.count; ++i) {
        assign_axes(both, axis - 1, to + target.offset(i), from + source.offset(i), run);
    }
}

void assign_apart(const Section& to, const Section& from) {
    const Run run(to.element, from.element);
    const Matched both(to, from);
    if (both.to.rank == 0) {
        const Axis one{1, static_cast<std::int64_t>(to.element.bytes), nullptr};
        const Axis other{1, static_cast<std::int64_t>(from.element.bytes), nullptr};
        run(both.to.first, one, both.from.first, other);
    } else {
        assign_axes(both, both.to.rank - 1, both.to.first, both.from.first, run);
    }
}

}  // namespace

Section::Extent Section::extent() const {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (int a = 0; a < rank; ++a) {
        const Axis& axis = axes[static_cast<std::size_t>(a)];
        if (axis.offsets == nullptr) {
            const std::int64_t last = (axis.count - 1) * axis.stride;
            lowest += std::min<std::int64_t>(last, 0);
            highest += std::max<std::int64_t>(last, 0);
        } else {
            const auto [low, high] = std::minmax_element(axis.offsets, axis.offsets + axis.count);
            lowest += *low;
            highest += *high;
        }
    }
    return {first + lowest, first + highest + element.bytes};
}

Section without_gaps(const Section& section, std::byte* buffer) {
    Section result = section;
    result.first = buffer;
    auto stride = static_cast<std::int64_t>(section.element.bytes);
    for (int axis = 0; axis < section.rank; ++axis) {
        Axis& axis_there = result.axes[static_cast<std::size_t>(axis)];
        axis_there = {axis_there.count, stride, nullptr};
        stride *= axis_there.count;
    }
    return result;
}

bool conforms(const Section& to, const Section& from) {
    const auto next_of = [](const Section& section, int axis) {
        while (axis < section.rank && section.axes[static_cast<std::size_t>(axis)].count == 1) {
            ++axis;
        }
        return axis;
    };
    int source = next_of(from, 0);
    if (source == from.rank) return true;
    for (int target = 0; target < to.rank; ++target) {
        const std::int64_t count = to.axes[static_cast<std::size_t>(target)].count;
        if (count == 1) continue;
        const bool is_same =
            source < from.rank && from.axes[static_cast<std::size_t>(source)].count == count;
        if (!is_same) return false;
        source = next_of(from, source + 1);
    }
    return source == from.rank;
}

std::string shape_of(const Section& section) {
    std::string shape;
    for (int axis = 0; axis < section.rank; ++axis) {
        const std::int64_t count = section.axes[static_cast<std::size_t>(axis)].count;
        shape += (axis == 0 ? "" : ", ") + std::to_string(count);
    }
    return shape;
}

void assign(const Section& to, const Section& from) {
    if (!conforms(to, from)) {
        throw JobError("An array of shape (" + shape_of(from) +
                       ") was to be assigned to one of shape (" + shape_of(to) + ").");
    }
    if (to.count() == 0) return;
    const Section::Extent target = to.extent();
    const Section::Extent source = from.extent();
    if (target.end <= source.begin || source.end <= target.begin) {
        assign_apart(to, from);
        return;
    }
    const auto bytes = static_cast<std::size_t>(from.count()) * from.element.bytes;
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const Section between = without_gaps(from, buffer.get());
    assign_apart(between, from);
    assign_apart(to, between);
}

}  // namespace halocline::pgas
