#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/plan.hpp"

namespace halocline::bindings {

/// The name of a type in Python.
template <typename T>
[[nodiscard]] std::string name_of() {
    return nanobind::cast<std::string>(nanobind::type<T>().attr("__name__"));
}

/// How an entry of a list becomes a record: whether it is one, the record, and what is expected.
template <typename Record>
struct Entry {
    static bool is(nanobind::handle item) { return nanobind::isinstance<Record>(item); }
    static Record take(nanobind::handle item) { return nanobind::cast<Record>(item); }
    static std::string names() { return name_of<Record>(); }
};
template <typename... Kind>
struct Entry<std::variant<Kind...>> {
    static bool is(nanobind::handle item) { return (nanobind::isinstance<Kind>(item) || ...); }
    static std::variant<Kind...> take(nanobind::handle item) {
        std::variant<Kind...> taken;
        static_cast<void>(
            ((nanobind::isinstance<Kind>(item) && (taken = nanobind::cast<Kind>(item), true)) ||
             ...));
        return taken;
    }
    /// Their union.
    static nanobind::object type() {
        nanobind::object type;
        ((type = type.is_valid() ? type | nanobind::type<Kind>()
                                 : nanobind::borrow(nanobind::type<Kind>())),
         ...);
        return type;
    }
    static std::string names() {
        std::string names;
        ((names += (names.empty() ? "" : ", ") + name_of<Kind>()), ...);
        return names;
    }
};
template <>
struct Entry<plan::Operation> : Entry<decltype(plan::Operation::kind)> {
    using Kind = Entry<decltype(plan::Operation::kind)>;
    static plan::Operation take(nanobind::handle item) { return {Kind::take(item)}; }
};

/// What Python gives for a field of a record, and what becomes of it.
template <typename Value>
struct Given {
    using Type = Value;
    static Value take(Type value, const std::string& /*where*/) { return value; }
};
/// Kernels are known by their addresses.
template <>
struct Given<halocline_kernel> {
    using Type = std::uintptr_t;
    static halocline_kernel take(Type address, const std::string& /*where*/) {
        return std::bit_cast<halocline_kernel>(address);
    }
};
/// Cells that move are rows of an array, since there may be a hundred thousand: slot, the other
/// end's slot, component, block and the first cell there, the other block and the first cell there,
/// extent.
template <typename Record>
concept Moved = std::is_same_v<Record, plan::Part> || std::is_same_v<Record, plan::Copy>;
template <Moved Record>
struct Given<std::vector<Record>> {
    using Rows = nanobind::ndarray<const std::int64_t, nanobind::shape<-1, 14>, nanobind::c_contig,
                                   nanobind::device::cpu>;
    using Type = std::optional<Rows>;
    static std::vector<Record> take(const Type& rows, const std::string& /*where*/) {
        std::vector<Record> taken;
        if (!rows) {
            return taken;
        }
        taken.reserve(rows->shape(0));
        for (std::size_t n = 0; n < rows->shape(0); ++n) {
            const std::int64_t* row = rows->data() + 14 * n;
            const auto number = [row](int column) { return static_cast<int>(row[column]); };
            const auto cell = [row](int column) {
                return Index3{row[column], row[column + 1], row[column + 2]};
            };
            taken.push_back({number(0), number(1), number(2), number(3), cell(4), number(7),
                             cell(8), cell(11)});
        }
        return taken;
    }
};
/// Lists of records are taken one by one, so that a TypeError can say which of them is wrong.
template <typename Record>
requires(std::is_aggregate_v<Record> && !Moved<Record>) struct Given<std::vector<Record>> {
    using Type = nanobind::sequence;
    static std::vector<Record> take(const Type& items, const std::string& where) {
        std::vector<Record> taken;
        for (const nanobind::handle item : items) {
            if (!Entry<Record>::is(item)) {
                const std::string place = where + "[" + std::to_string(taken.size()) + "]";
                const std::string found = nanobind::repr(item).c_str();
                const std::string text =
                    place + " is " + found + "; expected: " + Entry<Record>::names() + ".";
                throw nanobind::type_error(text.c_str());
            }
            taken.push_back(Entry<Record>::take(item));
        }
        return taken;
    }
};

/// A field of a record that must be given.
template <typename Record, typename Member>
struct Needed {
    using Value = Member;
    const char* name;
    Member Record::*where;
    [[nodiscard]] nanobind::arg argument() const { return nanobind::arg(name); }
};
template <typename Record, typename Member>
Needed(const char*, Member Record::*) -> Needed<Record, Member>;

/// A field that may be left out.
template <typename Record, typename Member>
struct Optional {
    using Value = Member;
    const char* name;
    Member Record::*where;
    [[nodiscard]] auto argument() const {
        if constexpr (std::is_same_v<Member, std::vector<plan::Copy>>) {
            return nanobind::arg(name) = nanobind::none();
        } else {
            return nanobind::arg(name) = nanobind::cast(Record{}.*where);
        }
    }
};
template <typename Record, typename Member>
Optional(const char*, Member Record::*) -> Optional<Record, Member>;

/// Makes a record known to Python, which builds it from its fields by position or name.
template <typename Record, typename... Members>
nanobind::class_<Record> bind_record(nanobind::module_& module, const char* name, const char* doc,
                                     Members... members) {
    nanobind::class_<Record> bound(module, name, doc);
    bound.def(
        "__init__",
        // NOLINTNEXTLINE(performance-unnecessary-value-param): sequences are handles, others move
        [name, members...](Record* self, typename Given<typename Members::Value>::Type... values) {
            Record made{};
            ((made.*members.where = Given<typename Members::Value>::take(
                  std::move(values), std::string(name) + "." + members.name)),
             ...);
            new (self) Record(std::move(made));
        },
        members.argument()...);
    return bound;
}

}  // namespace halocline::bindings
