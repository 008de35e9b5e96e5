// Atomic procedures.

#include <atomic>
#include <cstring>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

enum Operation { add = 1, bitwise_and = 2, bitwise_or = 3, bitwise_xor = 4 };

template <class Number>
Number apply(std::atomic_ref<Number> atom, int operation, Number value) {
    switch (operation) {
        case add:
            return atom.fetch_add(value);
        case bitwise_and:
            return atom.fetch_and(value);
        case bitwise_or:
            return atom.fetch_or(value);
        default:
            return atom.fetch_xor(value);
    }
}

/// An atomic variable of an image.
struct Variable {
    std::byte* place;
    int kind;

    /// Does something with it as an integer of its kind.
    template <class Action>
    void as_number(const Action& action) const {
        constexpr int kind_of_long = 8;
        if (kind == kind_of_long) {
            action(std::atomic_ref(*reinterpret_cast<std::int64_t*>(place)));
        } else {
            action(std::atomic_ref(*reinterpret_cast<std::int32_t*>(place)));
        }
    }
};

template <class Number>
Number read(const void* from, std::atomic_ref<Number> /*like*/) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    return number;
}

/// Does something with a variable, if its image can be accessed.
template <class Action>
void access(void* token, std::size_t offset, int image, int* stat, int kind, const Action& action) {
    const pgas::Team& team = images().team();
    const int member = image == 0 ? team.me() : index_of(image);
    if (!can_access(member, team, stat)) return;
    const Variable variable{images().at(member, token_of(token).memory + offset), kind};
    variable.as_number(action);
}

}  // namespace

void _gfortran_caf_atomic_define(void* token, std::size_t offset, int image, void* value, int* stat,
                                 int /*type*/, int kind) {
    access(token, offset, image, stat, kind, [&](auto atom) { atom.store(read(value, atom)); });
}

void _gfortran_caf_atomic_ref(void* token, std::size_t offset, int image, void* value, int* stat,
                              int /*type*/, int kind) {
    access(token, offset, image, stat, kind, [&](auto atom) {
        const auto number = atom.load();
        std::memcpy(value, &number, sizeof number);
    });
}

void _gfortran_caf_atomic_cas(void* token, std::size_t offset, int image, void* old, void* compare,
                              void* value, int* stat, int /*type*/, int kind) {
    access(token, offset, image, stat, kind, [&](auto atom) {
        auto expected = read(compare, atom);
        static_cast<void>(atom.compare_exchange_strong(expected, read(value, atom)));
        std::memcpy(old, &expected, sizeof expected);
    });
}

void _gfortran_caf_atomic_op(int operation, void* token, std::size_t offset, int image, void* value,
                             void* old, int* stat, int /*type*/, int kind) {
    access(token, offset, image, stat, kind, [&](auto atom) {
        const auto before = apply(atom, operation, read(value, atom));
        if (old != nullptr) std::memcpy(old, &before, sizeof before);
    });
}
