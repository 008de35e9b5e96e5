#include "bindings/bind_elementary.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>

#include "core/elementary.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

template <class T>
using Row = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check(bool is_known, const std::string& name) {
    if (!is_known) throw nb::value_error(("There is no function '" + name + "'.").c_str());
}

void check_sizes(std::size_t given, std::size_t wanted) {
    if (given != wanted) throw nb::value_error("Arguments and results differ in size.");
}

template <class T>
void bind(nb::module_& module) {
    module.def(
        "elementary",
        [](const std::string& name, const Row<const T>& x, const Row<T>& result) {
            const OfOne<T> function = elementary_of_one<T>(name);
            check(function != nullptr, name);
            check_sizes(x.size(), result.size());
            function(x.data(), result.data(), static_cast<std::int64_t>(x.size()));
        },
        "name"_a, "x"_a.noconvert(), "result"_a.noconvert(),
        "Write an elementary function of numbers into an array.");
    module.def(
        "elementary",
        [](const std::string& name, const Row<const T>& x, const Row<const T>& y,
           const Row<T>& result) {
            const OfTwo<T> function = elementary_of_two<T>(name);
            check(function != nullptr, name);
            check_sizes(x.size(), result.size());
            check_sizes(y.size(), result.size());
            function(x.data(), y.data(), result.data(), static_cast<std::int64_t>(x.size()));
        },
        "name"_a, "x"_a.noconvert(), "y"_a.noconvert(), "result"_a.noconvert());
}

}  // namespace

void bind_elementary(nb::module_& module) {
    bind<double>(module);
    bind<float>(module);
}

}  // namespace halocline::bindings
