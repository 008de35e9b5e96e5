#include "bindings/pgas_collectives.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "pgas/coarray.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

using namespace halocline::pgas;

/// What every image says, as short text; nothing from images that do not run any more.
std::vector<std::string> everywhere(const std::string& text) {
    using Text = std::array<char, 1024>;
    Team& team = images().team();
    Text mine{};
    std::memcpy(mine.data(), text.data(), std::min(text.size(), mine.size() - 1));
    std::vector<Text> all(static_cast<std::size_t>(team.size()), Text{});
    static_cast<void>(gather(team, reinterpret_cast<const std::byte*>(mine.data()), mine.size(),
                             reinterpret_cast<std::byte*>(all.data())));
    std::vector<std::string> told;
    for (const Text& one : all) told.emplace_back(one.data());
    return told;
}

template <class T>
std::span<T> as(const Bytes& bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Calls something with a value of a type, as NumPy says it by a letter and a size [bytes].
template <class... Types>
struct Numbers {
    template <class Action>
    static void call(char kind, std::size_t bytes, const Action& action) {
        static_cast<void>((try_type<Types>(kind, bytes, action) || ...));
    }

private:
    template <class T>
    static constexpr char kind_of() {
        if constexpr (std::is_floating_point_v<T>)
            return 'f';
        else if constexpr (!std::is_arithmetic_v<T>)
            return 'c';
        else
            return std::is_signed_v<T> ? 'i' : 'u';
    }
    template <class T, class Action>
    static bool try_type(char kind, std::size_t bytes, const Action& action) {
        if (kind != kind_of<T>() || bytes != sizeof(T)) return false;
        action(T{});
        return true;
    }
};
using Ordered = Numbers<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                        std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t, long double>;
using Complex = Numbers<std::complex<double>, std::complex<float>, std::complex<long double>>;

void sum(const Bytes& array, char kind, std::size_t bytes, int result_image) {
    const auto add = [&](auto like) { co_sum(as<decltype(like)>(array), result_image); };
    Ordered::call(kind, bytes, add);
    Complex::call(kind, bytes, add);
}
void least(const Bytes& array, char kind, std::size_t bytes, int result_image) {
    Ordered::call(kind, bytes, [&](auto like) { co_min(as<decltype(like)>(array), result_image); });
}
void greatest(const Bytes& array, char kind, std::size_t bytes, int result_image) {
    Ordered::call(kind, bytes, [&](auto like) { co_max(as<decltype(like)>(array), result_image); });
}

/// Combines elements by a function of Python, which gets those of two images as bytes and changes
/// the first.
class Function {
public:
    explicit Function(const nb::callable& function) : function_(function) {}

    void operator()(std::byte* into, const std::byte* from, std::size_t bytes) {
        const nb::gil_scoped_acquire gil;
        // Images that wait for this one go on: what has gone wrong is raised at the end.
        if (error_) return;
        try {
            function_(array(into, bytes), array(const_cast<std::byte*>(from), bytes));
        } catch (const nb::python_error&) {
            error_ = std::current_exception();
        }
    }
    void raise() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    static nb::object array(std::byte* first, std::size_t bytes) {
        const nb::ndarray<nb::numpy, std::uint8_t> view(first, {bytes}, nb::handle());
        return nb::cast(view, nb::rv_policy::reference);
    }

    nb::callable function_;
    std::exception_ptr error_;
};

void by_function(const Bytes& array, std::size_t bytes, const nb::callable& given,
                 int result_image) {
    const int result = result_image == all_images ? all_members : index_of(result_image);
    Function function(given);
    {
        const nb::gil_scoped_release released;
        const Combine combine = [&](std::byte* into, const std::byte* from, std::size_t count) {
            function(into, from, count * bytes);
        };
        const Section section = pgas::detail::flat(array.data(), array.size() / bytes, bytes);
        check(reduce(images().team(), section, combine, result), "co_reduce");
    }
    function.raise();
}

}  // namespace

void bind_collectives(nb::module_& module) {
    const auto array = [] { return nb::arg("array").noconvert(); };
    module.def("everywhere", &everywhere, "text"_a, Waiting());
    module.def("co_sum", &sum, array(), "kind"_a, "bytes"_a, "result_image"_a, Waiting());
    module.def("co_min", &least, array(), "kind"_a, "bytes"_a, "result_image"_a, Waiting());
    module.def("co_max", &greatest, array(), "kind"_a, "bytes"_a, "result_image"_a, Waiting());
    module.def("co_reduce", &by_function, array(), "bytes"_a, "function"_a, "result_image"_a);
    module.def(
        "co_broadcast",
        [](const Bytes& values, int source) { co_broadcast(as<std::uint8_t>(values), source); },
        array(), "source_image"_a, Waiting());
}

}  // namespace halocline::bindings
