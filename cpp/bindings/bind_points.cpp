#include "bindings/bind_points.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <typename T>
std::vector<T> copied(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

/// An array as the memory that it keeps.
std::shared_ptr<const void> kept(nb::ndarray<nb::c_contig, nb::device::cpu> array) {
    auto owner = std::make_shared<nb::ndarray<nb::c_contig, nb::device::cpu>>(std::move(array));
    const void* const data = owner->data();
    return {std::move(owner), data};
}

Series series_of(const Array<double>& times, const Array<double>& values, double period) {
    const std::size_t rows = times.size();
    return {copied(times), copied(values), values.size() / rows, period};
}

using Cells = std::array<std::int64_t, 3>;

/// What all points have, whether they are injected or interpolated.
Points points_of(int component, const Cells& widths, const Array<std::int32_t>& first,
                 const Array<double>& weights) {
    Points points;
    points.component = component;
    points.widths = widths;
    points.first = copied(first);
    points.weights = copied(weights);
    return points;
}

/// An array that owns its numbers.
template <typename T>
nb::ndarray<nb::numpy, T> given_away(std::vector<T>&& values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = kept->data();
    const std::size_t size = kept->size();
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    static_cast<void>(kept.release());
    return {data, {size}, owner};
}

}  // namespace

void bind_points(nb::class_<Runtime>& runtime) {
    runtime
        .def(
            "add_series",
            [](Runtime& self, int scalar, const Array<double>& times, const Array<double>& values,
               double period) { self.add_series(scalar, series_of(times, values, period)); },
            "scalar"_a, "times"_a, "values"_a, "period"_a)
        .def(
            "add_injection",
            [](Runtime& self, int component, const Cells& widths, const Array<std::int32_t>& first,
               const Array<double>& weights, const Array<double>& scales) {
                Points points = points_of(component, widths, first, weights);
                points.is_injected = true;
                points.scales = copied(scales);
                return self.add_points(std::move(points));
            },
            "component"_a, "widths"_a, "first"_a, "weights"_a, "scales"_a)
        .def(
            "inject_series",
            [](Runtime& self, int points, const Array<double>& times, const Array<double>& values,
               double period) { self.points(points).series = {series_of(times, values, period)}; },
            "points"_a, "times"_a, "values"_a, "period"_a)
        .def(
            "add_interpolation",
            [](Runtime& self, int component, const Cells& widths, const Array<std::int32_t>& first,
               const Array<double>& weights, const Array<std::int32_t>& cells) {
                Points points = points_of(component, widths, first, weights);
                points.cells = copied(cells);
                return self.add_points(std::move(points));
            },
            "component"_a, "widths"_a, "first"_a, "weights"_a, "cells"_a)
        .def(
            "add_filling",
            [](Runtime& self, const Array<double>& times, double period, const std::string& type,
               const std::vector<Box>& boxes,
               const std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>>& values) {
                Filling filling{copied(times), period, element_type(type), {}};
                for (std::size_t i = 0; i < boxes.size(); ++i) {
                    filling.parts.push_back({boxes[i], kept(values.at(i))});
                }
                return self.add_filling(std::move(filling));
            },
            "times"_a, "period"_a, "dtype"_a, "boxes"_a, "values"_a)
        .def(
            "take_rows",
            [](Runtime& self, int points) {
                Points& found = self.points(points);
                std::vector<double> values;
                values.reserve(found.recorded.size() * found.count());
                for (const auto& row : std::exchange(found.recorded, {})) {
                    values.insert(values.end(), row.get(), row.get() + found.count());
                }
                return std::tuple(given_away(std::exchange(found.steps, {})),
                                  given_away(std::exchange(found.times, {})),
                                  given_away(std::move(values)));
            },
            "points"_a, "Return the steps, times and values recorded so far, and forget them.");
}

}  // namespace halocline::bindings
