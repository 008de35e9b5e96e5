#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "pgas/atomic.hpp"
#include "pgas/collective.hpp"
#include "pgas/program.hpp"
#include "pgas/section.hpp"
#include "pgas/transfer.hpp"

/// Coarrays in C++: arrays of which every image has a part that all images read and write.
///
///     coarray<double> a({rows, columns});
///     a.here()(0, 0) = 1.0;
///     sync_all();
///     const double x = a[2](0, 0);
///
/// Programs link with libhalocline_pgas.a and are started by 'halocline caf run'.
namespace halocline::pgas {

/// An array in memory whose last index varies fastest.
template <class T>
class View {
public:
    View(T* data, std::span<const std::int64_t> shape) : data_(data), shape_(shape) {}

    template <std::integral... Index>
    [[nodiscard]] T& operator()(Index... index) const {
        std::int64_t place = 0;
        std::size_t axis = 0;
        ((place = place * shape_[axis++] + static_cast<std::int64_t>(index)), ...);
        return data_[place];
    }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] int rank() const { return static_cast<int>(shape_.size()); }
    [[nodiscard]] std::int64_t extent(int axis) const {
        return shape_[static_cast<std::size_t>(axis)];
    }
    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(
            std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies()));
    }
    [[nodiscard]] std::span<T> all() const { return {data_, size()}; }

private:
    T* data_;
    std::span<const std::int64_t> shape_;
};

/// Indices of one axis: `count` of them from the first on, each `step` after the one before.
struct Range {
    std::int64_t first;
    std::int64_t count;
    std::int64_t step = 1;
};

/// An integer of an image on which several images act at once. What is returned is what it was.
template <std::integral T>
requires(sizeof(T) == sizeof(std::uint32_t) ||
         sizeof(T) == sizeof(std::uint64_t)) class AtomicElement {
public:
    explicit AtomicElement(const Atomic& atomic) : atomic_(atomic) {}

    T fetch_add(T value) const { return fetch(Operation::add, value); }
    T fetch_and(T value) const { return fetch(Operation::bitwise_and, value); }
    T fetch_or(T value) const { return fetch(Operation::bitwise_or, value); }
    T fetch_xor(T value) const { return fetch(Operation::bitwise_xor, value); }
    T exchange(T value) const { return fetch(Operation::replace, value); }
    void store(T value) const { static_cast<void>(exchange(value)); }
    [[nodiscard]] T load() const { return static_cast<T>(atomic_.read()); }
    /// Replaces it if it is the expected one.
    T compare_and_swap(T expected, T value) const {
        return static_cast<T>(atomic_.compare_and_swap(bits(expected), bits(value)));
    }

private:
    static std::uint64_t bits(T value) { return static_cast<std::make_unsigned_t<T>>(value); }
    T fetch(Operation operation, T value) const {
        return static_cast<T>(atomic_.fetch(operation, bits(value)));
    }

    Atomic atomic_;
};

/// An array with a part on each image of the current team, filled with zeros. Construction and
/// destruction are collective.
template <class T>
class coarray {
public:
    explicit coarray(std::vector<std::int64_t> shape)
        : shape_(checked(std::move(shape))),
          exceptions_(std::uncaught_exceptions()),
          piece_(allocate(static_cast<std::int64_t>(here_at(nullptr).size() * sizeof(T)))) {}
    coarray(const coarray&) = delete;
    coarray& operator=(const coarray&) = delete;
    ~coarray() {
        // Where something has gone wrong, others may not come here.
        if (std::uncaught_exceptions() > exceptions_) return;
        Images& all = images();
        static_cast<void>(all.team().barrier());
        all.free(piece_);
    }

    /// This image's part.
    [[nodiscard]] View<T> here() const { return here_at(piece_); }
    /// The part of an image on this node. Throws FailedImage if that has failed.
    [[nodiscard]] View<T> operator[](int image) const {
        if (images().job().is_near(place_of(image))) return part(image);
        throw JobError("Image " + std::to_string(image) +
                       " is on another node: 'put', 'get' and 'atomic' reach it.");
    }

    /// Writes a section of an image's part: values with the last index varying fastest.
    void put(int image, std::initializer_list<Range> section, std::span<const T> values) const {
        const Section there = section_of(part(image).data(), section);
        const Section here = like(there, const_cast<T*>(values.data()), values.size());
        transfer(images().job(), {place_of(image), there}, {images().job().me(), here});
    }
    /// Reads a section of an image's part.
    void get(int image, std::initializer_list<Range> section, std::span<T> values) const {
        const Section there = section_of(part(image).data(), section);
        const Section here = like(there, values.data(), values.size());
        transfer(images().job(), {images().job().me(), here}, {place_of(image), there});
    }

    /// An element of an image's part for atomic operations.
    template <std::integral... Index>
    [[nodiscard]] auto atomic(int image, Index... index) const {
        T& number = part(image)(index...);
        return AtomicElement<T>(Atomic(images().job(), place_of(image), &number, sizeof(T)));
    }
    /// An event or a lock of an image.
    template <std::integral... Index>
    [[nodiscard]] T& object(int image, Index... index)
        const requires std::same_as<T, EventVariable> || std::same_as<T, LockVariable> {
        return part(image)(index...);
    }

private:
    static constexpr Element element{Type::derived, 0, sizeof(T)};

    static std::vector<std::int64_t> checked(std::vector<std::int64_t> shape) {
        const bool is_possible =
            shape.size() <= most_axes &&
            std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; });
        if (is_possible) return shape;
        throw JobError("A coarray has at most 15 axes, and no negative extents.");
    }

    [[nodiscard]] View<T> here_at(std::byte* piece) const {
        return View<T>(reinterpret_cast<T*>(piece), shape_);
    }

    [[nodiscard]] static int place_of(int image) {
        return images().team().member(index_of(image)).image;
    }
    [[nodiscard]] View<T> part(int image) const {
        return here_at(images().at(accessible(image), piece_));
    }

    /// Sections have their fastest axis first.
    [[nodiscard]] Section section_of(T* data, std::initializer_list<Range> ranges) const {
        if (ranges.size() != shape_.size()) {
            throw JobError("A section has " + std::to_string(ranges.size()) +
                           " ranges, but the coarray " + std::to_string(shape_.size()) + " axes.");
        }
        Section result;
        result.element = element;
        auto stride = static_cast<std::int64_t>(sizeof(T));
        std::int64_t offset = 0;
        for (std::size_t axis = shape_.size(); axis-- > 0;) {
            const Range& range = ranges.begin()[axis];
            require_inside(range, shape_[axis]);
            result.axes[static_cast<std::size_t>(result.rank++)] = {range.count,
                                                                    stride * range.step, nullptr};
            offset += range.first * stride;
            stride *= shape_[axis];
        }
        result.first = reinterpret_cast<std::byte*>(data) + offset;
        return result;
    }

    static void require_inside(const Range& range, std::int64_t extent) {
        if (range.count == 0) return;
        const std::int64_t last = range.first + (range.count - 1) * range.step;
        const bool is_inside = range.count > 0 && range.first >= 0 && range.first < extent &&
                               last >= 0 && last < extent;
        if (is_inside) return;
        throw JobError("A section has indices " + std::to_string(range.first) + " to " +
                       std::to_string(last) + " of an axis of " + std::to_string(extent) + ".");
    }

    /// As many values without gaps.
    static Section like(const Section& there, T* values, std::size_t count) {
        if (static_cast<std::size_t>(there.count()) != count) {
            throw JobError("A section of " + std::to_string(there.count()) +
                           " elements was given " + std::to_string(count) + " values.");
        }
        return without_gaps(there, reinterpret_cast<std::byte*>(values));
    }

    std::vector<std::int64_t> shape_;
    int exceptions_;
    std::byte* piece_;
};

namespace detail {

inline Section flat(void* values, std::size_t count, std::size_t bytes) {
    Section section;
    section.first = static_cast<std::byte*>(values);
    section.element = {Type::derived, 0, bytes};
    section.rank = 1;
    section.axes[0] = {static_cast<std::int64_t>(count), static_cast<std::int64_t>(bytes), nullptr};
    return section;
}

/// Integers wrap around.
template <class T>
T sum(const T& one, const T& other) {
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(one) + static_cast<Unsigned>(other));
    } else {
        return one + other;
    }
}

}  // namespace detail

/// Which image gets the result of a collective procedure: all of them.
inline constexpr int all_images = 0;

/// Combines the values of all images, element by element, in place. Collective.
template <class T, std::invocable<const T&, const T&> Function>
void co_reduce(std::span<T> values, const Function& function, int result_image = all_images) {
    const int result = result_image == all_images ? all_members : index_of(result_image);
    const Combine combine = [&](std::byte* into, const std::byte* from, std::size_t count) {
        auto* one = reinterpret_cast<T*>(into);
        const auto* other = reinterpret_cast<const T*>(from);
        for (std::size_t i = 0; i < count; ++i) one[i] = function(one[i], other[i]);
    };
    Team& team = images().team();
    const Section section = detail::flat(values.data(), values.size(), sizeof(T));
    check(reduce(team, section, combine, result), "A collective procedure");
}
template <class T>
void co_sum(std::span<T> values, int result_image = all_images) {
    co_reduce(values, detail::sum<T>, result_image);
}
template <class T>
void co_min(std::span<T> values, int result_image = all_images) {
    const auto smaller = [](const T& one, const T& other) { return other < one ? other : one; };
    co_reduce(values, smaller, result_image);
}
template <class T>
void co_max(std::span<T> values, int result_image = all_images) {
    const auto greater = [](const T& one, const T& other) { return one < other ? other : one; };
    co_reduce(values, greater, result_image);
}
/// Gives one image's values to all. Collective.
template <class T>
void co_broadcast(std::span<T> values, int source_image) {
    Team& team = images().team();
    const Section section = detail::flat(values.data(), values.size(), sizeof(T));
    check(broadcast(team, section, index_of(source_image)), "co_broadcast");
}

/// The sum, the least and the greatest of one number of each image. Collective.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] T co_sum(T value) {
    co_sum(std::span<T>(&value, 1));
    return value;
}
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] T co_min(T value) {
    co_min(std::span<T>(&value, 1));
    return value;
}
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] T co_max(T value) {
    co_max(std::span<T>(&value, 1));
    return value;
}

}  // namespace halocline::pgas
