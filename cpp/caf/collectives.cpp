// CO_BROADCAST, CO_SUM, CO_MIN, CO_MAX.

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "pgas/collective.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

/// gfortran does not say of which kind values are: it follows from their size.
int kind_of(const Descriptor& array, int characters) {
    const auto bytes = static_cast<int>(array.type.element_bytes);
    switch (array.type.type) {
        case complex_type:
            return bytes / 2;
        case character_type:
            return characters > 0 && bytes / characters == 4 ? 4 : 1;
        default:
            return bytes;
    }
}

/// The elements of an argument. Reals of 16 bytes may be of kind 10 or 16, which gfortran does not
/// tell (tests/fortran/compiler_limits.md); they count as 16.
pgas::Section elements(const Descriptor& array, int characters = 0) {
    return array.section(kind_of(array, characters));
}

int member_or_all(int image) {
    return image == 0 ? pgas::all_members : index_of(image);
}

void reduce(const char* what, const pgas::Section& array, const pgas::Combine& combine, int result,
            const Answer& answer) {
    if (!combine) error(std::string(what) + ": the argument has a type that this cannot do.");
    pgas::Team& team = images().team();
    answer.outcome(pgas::reduce(team, array, combine, member_or_all(result)), what);
}

}  // namespace

void _gfortran_caf_co_broadcast(Descriptor* array, int source, int* stat, char* message,
                                std::size_t length) {
    pgas::Team& team = images().team();
    const auto outcome = pgas::broadcast(team, elements(*array), index_of(source));
    collective_answer(stat, message, length).outcome(outcome, "CO_BROADCAST");
}

void _gfortran_caf_co_sum(Descriptor* array, int result, int* stat, char* message,
                          std::size_t length) {
    const pgas::Section section = elements(*array);
    reduce("CO_SUM", section, pgas::sum_of(section.element), result,
           collective_answer(stat, message, length));
}

void _gfortran_caf_co_min(Descriptor* array, int result, int* stat, char* message, int characters,
                          std::size_t length) {
    const pgas::Section section = elements(*array, characters);
    reduce("CO_MIN", section, pgas::smaller_of(section.element), result,
           collective_answer(stat, message, length));
}

void _gfortran_caf_co_max(Descriptor* array, int result, int* stat, char* message, int characters,
                          std::size_t length) {
    const pgas::Section section = elements(*array, characters);
    reduce("CO_MAX", section, pgas::greater_of(section.element), result,
           collective_answer(stat, message, length));
}
