// Atomic procedures.

#include "pgas/atomic.hpp"

#include <cstring>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

using pgas::Operation;

Operation operation_of(int number) {
    switch (number) {
        case 1:
            return Operation::add;
        case 2:
            return Operation::bitwise_and;
        case 3:
            return Operation::bitwise_or;
        default:
            return Operation::bitwise_xor;
    }
}

/// A number as a program has it: the lowest bytes of ours.
std::uint64_t read(const void* from, int kind) {
    std::uint64_t number = 0;
    std::memcpy(&number, from, static_cast<std::size_t>(kind));
    return number;
}
void write(void* to, std::uint64_t number, int kind) {
    std::memcpy(to, &number, static_cast<std::size_t>(kind));
}

/// Does something with a variable, if its image can be accessed.
template <class Action>
void access(void* token, std::size_t offset, int image, int* stat, int kind, const Action& action) {
    const pgas::Images& all = images();
    const int member = image == 0 ? all.team().me() : index_of(image);
    if (!can_access(member, all.team(), stat)) return;
    action(pgas::Atomic(all.job(), all.team().member(member).image,
                        all.at(member, token_of(token).memory + offset),
                        static_cast<std::size_t>(kind)));
}

}  // namespace

void _gfortran_caf_atomic_define(void* token, std::size_t offset, int image, void* value, int* stat,
                                 int /*type*/, int kind) {
    access(token, offset, image, stat, kind,
           [&](const pgas::Atomic& atom) { atom.fetch(Operation::replace, read(value, kind)); });
}

void _gfortran_caf_atomic_ref(void* token, std::size_t offset, int image, void* value, int* stat,
                              int /*type*/, int kind) {
    access(token, offset, image, stat, kind,
           [&](const pgas::Atomic& atom) { write(value, atom.read(), kind); });
}

void _gfortran_caf_atomic_cas(void* token, std::size_t offset, int image, void* old, void* compare,
                              void* value, int* stat, int /*type*/, int kind) {
    access(token, offset, image, stat, kind, [&](const pgas::Atomic& atom) {
        write(old, atom.compare_and_swap(read(compare, kind), read(value, kind)), kind);
    });
}

void _gfortran_caf_atomic_op(int operation, void* token, std::size_t offset, int image, void* value,
                             void* old, int* stat, int /*type*/, int kind) {
    access(token, offset, image, stat, kind, [&](const pgas::Atomic& atom) {
        const std::uint64_t before = atom.fetch(operation_of(operation), read(value, kind));
        if (old != nullptr) write(old, before, kind);
    });
}
