// CO_REDUCE, with a function of the program.

#include <cstring>
#include <vector>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "pgas/collective.hpp"
#include "pgas/numbers.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

/// How gfortran says that a function is called (GFC_CAF_BYREF, _HIDDENLEN, _ARG_VALUE).
enum Flag { result_by_reference = 1, hidden_lengths = 2, arguments_by_value = 4 };

using Function = void (*)();

/// Calls a function that returns a number, with references or with values.
template <class Number>
pgas::Combine returning(Function function, bool is_by_value) {
    return [function, is_by_value](std::byte* into, const std::byte* from, std::size_t count) {
        const auto by_value = reinterpret_cast<Number (*)(Number, Number)>(function);
        const auto by_reference = reinterpret_cast<Number (*)(Number*, Number*)>(function);
        for (std::size_t i = 0; i < count * sizeof(Number); i += sizeof(Number)) {
            Number one;
            Number other;
            std::memcpy(&one, into + i, sizeof one);
            std::memcpy(&other, from + i, sizeof other);
            const Number result = is_by_value ? by_value(one, other) : by_reference(&one, &other);
            std::memcpy(into + i, &result, sizeof result);
        }
    };
}

/// Calls a function that is given the place of its result first: of strings, which have their
/// lengths behind, and of derived types.
pgas::Combine giving_place(Function function, std::size_t bytes, int characters) {
    return [function, bytes, characters](std::byte* into, const std::byte* from,
                                         std::size_t count) {
        const auto of_strings =
            reinterpret_cast<void (*)(void*, std::size_t, void*, void*, std::size_t, std::size_t)>(
                function);
        const auto of_types = reinterpret_cast<void (*)(void*, void*, void*)>(function);
        const auto length = static_cast<std::size_t>(characters);
        std::vector<std::byte> result(bytes);
        std::vector<std::byte> other(bytes);
        for (std::size_t i = 0; i < count * bytes; i += bytes) {
            std::memcpy(other.data(), from + i, bytes);
            if (characters > 0) {
                of_strings(result.data(), length, into + i, other.data(), length, length);
            } else {
                of_types(result.data(), into + i, other.data());
            }
            std::memcpy(into + i, result.data(), bytes);
        }
    };
}

pgas::Combine of_integers(Function function, std::size_t bytes, bool is_by_value) {
    switch (bytes) {
        case 1:
            return returning<std::int8_t>(function, is_by_value);
        case 2:
            return returning<std::int16_t>(function, is_by_value);
        case 4:
            return returning<std::int32_t>(function, is_by_value);
        case 8:
            return returning<std::int64_t>(function, is_by_value);
        default:
            return returning<pgas::Integer16>(function, is_by_value);
    }
}

pgas::Combine of_reals(Function function, std::size_t bytes, bool is_by_value) {
    switch (bytes) {
        case sizeof(float):
            return returning<float>(function, is_by_value);
        case sizeof(double):
            return returning<double>(function, is_by_value);
        default:
            return {};
    }
}

pgas::Combine of_complex(Function function, std::size_t bytes, bool is_by_value) {
    __extension__ using Single = __complex__ float;
    __extension__ using Double = __complex__ double;
    switch (bytes) {
        case sizeof(Single):
            return returning<Single>(function, is_by_value);
        case sizeof(Double):
            return returning<Double>(function, is_by_value);
        default:
            return {};
    }
}

pgas::Combine combination(const Descriptor& array, Function function, int flags, int characters) {
    const std::size_t bytes = array.type.element_bytes;
    const bool is_by_value = (flags & arguments_by_value) != 0;
    constexpr std::size_t most_in_registers = 16;
    switch (array.type.type) {
        case integer_type:
        case logical_type:
            return of_integers(function, bytes, is_by_value);
        case real_type:
            return of_reals(function, bytes, is_by_value);
        case complex_type:
            return of_complex(function, bytes, is_by_value);
        case character_type:
            return giving_place(function, bytes, characters);
        default:
            // What fits into two registers comes back in them, in those that its parts ask for.
            if (bytes <= most_in_registers) return {};
            return giving_place(function, bytes, 0);
    }
}

}  // namespace

void _gfortran_caf_co_reduce(Descriptor* array, void (*operation)(), int flags, int result,
                             int* stat, char* message, int characters, std::size_t length) {
    const pgas::Combine combine = combination(*array, operation, flags, characters);
    if (!combine) {
        error(
            "CO_REDUCE: derived types of at most 16 bytes, and real and complex numbers of kinds "
            "10 and 16, cannot be combined: gfortran does not tell their parts.");
    }
    const int member = result == 0 ? pgas::all_members : index_of(result);
    const int kind = static_cast<int>(array->type.element_bytes);
    const auto outcome = pgas::reduce(images().team(), array->section(kind), combine, member);
    collective_answer(stat, message, length).outcome(outcome, "CO_REDUCE");
}
