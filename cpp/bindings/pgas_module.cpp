#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/pgas_collectives.hpp"
#include "pgas/coarray.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

using namespace halocline::pgas;

/// Mistakes become the exceptions of the package.
void translate(const std::exception_ptr& error, void* /*unused*/) {
    const auto raise = [](const char* name, const std::exception& reason) {
        const nb::object type = nb::module_::import_("halocline.errors").attr(name);
        PyErr_SetString(type.ptr(), reason.what());
    };
    try {
        std::rethrow_exception(error);
    } catch (const FailedImage& reason) {
        raise("FailedImageError", reason);
    } catch (const StoppedImage& reason) {
        raise("StoppedImageError", reason);
    } catch (const JobError& reason) {
        raise("CoarrayError", reason);
    }
}

/// Elements of this image's part of a coarray, which stand for those of another part.
class Chosen {
public:
    /// From an address on; the last axis varies fastest.
    Chosen(std::uintptr_t first, const std::vector<std::int64_t>& shape,
           const std::vector<std::int64_t>& strides, std::size_t bytes) {
        if (shape.size() > most_axes) throw JobError("A section has at most 15 axes.");
        begin(first, bytes);
        for (std::size_t axis = shape.size(); axis-- > 0;) add({shape[axis], strides[axis], {}});
    }
    /// Elements that lie so many bytes behind an address.
    Chosen(std::uintptr_t first, std::vector<std::int64_t> offsets, std::size_t bytes)
        : offsets_(std::move(offsets)) {
        begin(first, bytes);
        add({static_cast<std::int64_t>(offsets_.size()), 0, offsets_.data()});
    }
    Chosen(const Chosen&) = delete;
    Chosen& operator=(const Chosen&) = delete;
    ~Chosen() = default;

    /// Those of an image, counted from 0 in the initial team.
    [[nodiscard]] Elements of(int image) const {
        const Images& all = images();
        Elements elements{image, section_};
        elements.section.first = all.at(all.initial_team(), image, section_.first);
        return elements;
    }
    /// As many in an array of this image.
    [[nodiscard]] Elements in(const Bytes& array) const {
        auto* first = reinterpret_cast<std::byte*>(array.data());
        return {images().job().me(), without_gaps(section_, first)};
    }

private:
    void begin(std::uintptr_t first, std::size_t bytes) {
        section_.first = reinterpret_cast<std::byte*>(first);
        section_.element = {Type::derived, 0, bytes};
    }
    void add(const Axis& axis) { section_.axes[static_cast<std::size_t>(section_.rank++)] = axis; }

    std::vector<std::int64_t> offsets_;
    Section section_;
};

void bind_chosen(nb::module_& module) {
    using Numbers = std::vector<std::int64_t>;
    nb::class_<Chosen>(module, "Chosen", "Elements of a coarray's part.")
        .def(nb::init<std::uintptr_t, const Numbers&, const Numbers&, std::size_t>(), "first"_a,
             "shape"_a, "strides"_a, "bytes"_a)
        .def(nb::init<std::uintptr_t, Numbers, std::size_t>(), "first"_a, "offsets"_a, "bytes"_a)
        .def(
            "get",
            [](const Chosen& chosen, int image, const Bytes& values) {
                transfer(images().job(), chosen.in(values), chosen.of(image));
            },
            "image"_a, nb::arg("values").noconvert(), Waiting())
        .def(
            "put",
            [](const Chosen& chosen, int image, const Bytes& values) {
                transfer(images().job(), chosen.of(image), chosen.in(values));
            },
            "image"_a, nb::arg("values").noconvert(), Waiting());
}

/// Memory of a coarray: as much in every image.
class Memory {
public:
    explicit Memory(std::int64_t bytes) : bytes_(bytes), piece_(allocate(bytes)) {}

    void free() const { pgas::free(piece_); }
    /// What an image of this node, from 0 in the initial team, has there.
    [[nodiscard]] nb::ndarray<nb::numpy, std::uint8_t> of(int image) const {
        const Images& all = images();
        auto* first = reinterpret_cast<std::uint8_t*>(all.at(all.initial_team(), image, piece_));
        // Nobody owns it: it is mapped as long as the process lives.
        return {first, {static_cast<std::size_t>(bytes_)}, nb::handle()};
    }

    /// An object of an image of the current team.
    template <class Object>
    [[nodiscard]] Object& object(int image, std::int64_t i) const {
        return reinterpret_cast<Object*>(images().at(accessible(image), piece_))[i];
    }
    /// One of this image.
    template <class Object>
    [[nodiscard]] Object& object(std::int64_t i) const {
        return reinterpret_cast<Object*>(piece_)[i];
    }

private:
    std::int64_t bytes_;
    std::byte* piece_;
};

void bind_memory(nb::module_& module) {
    nb::class_<Memory>(module, "Memory", "Memory of a coarray: as much in every image.")
        .def(nb::init<std::int64_t>(), "bytes"_a, Waiting())
        .def("free", &Memory::free, Waiting())
        .def("of", &Memory::of, nb::rv_policy::reference);
    module.def("accessible",
               [](int image) { return images().team().member(accessible(image)).image; });
    module.def("is_near", [](int image) { return images().job().is_near(image); });
    module.attr("object_bytes") = sizeof(LoneSignal);
    static_assert(sizeof(EventVariable) == sizeof(LoneSignal));
    static_assert(sizeof(LockVariable) == sizeof(LoneSignal));
    module.def("event_post", [](const Memory& memory, int image, std::int64_t i) {
        memory.object<EventVariable>(image, i).post();
    });
    module.def(
        "event_wait",
        [](const Memory& memory, std::int64_t i, int until_count) {
            memory.object<EventVariable>(i).wait(until_count);
        },
        Waiting());
    module.def("event_query", [](const Memory& memory, std::int64_t i) {
        return memory.object<EventVariable>(i).query();
    });
    module.def(
        "lock",
        [](const Memory& memory, int image, std::int64_t i) {
            memory.object<LockVariable>(image, i).lock();
        },
        Waiting());
    module.def("try_lock", [](const Memory& memory, int image, std::int64_t i) {
        return memory.object<LockVariable>(image, i).try_lock();
    });
    module.def("unlock", [](const Memory& memory, int image, std::int64_t i) {
        memory.object<LockVariable>(image, i).unlock();
    });
}

template <class Number>
void bind_atomics(nb::module_& module) {
    // An element of this image's part stands for that of another one.
    using Element = nb::ndarray<Number, nb::ndim<0>, nb::device::cpu>;
    const auto element = [] { return nb::arg("element").noconvert(); };
    const auto atom_of = [](int image, const Element& like) {
        const Images& all = images();
        auto* mine = reinterpret_cast<std::byte*>(like.data());
        std::byte* address = all.at(all.initial_team(), image, mine);
        return AtomicElement<Number>(Atomic(all.job(), image, address, sizeof(Number)));
    };
    const auto bind = [&](const char* name, auto operation) {
        module.def(
            name,
            [=](int image, const Element& like, Number value) {
                return operation(atom_of(image, like), value);
            },
            "image"_a, element(), "value"_a);
    };
    using Atom = const AtomicElement<Number>&;
    bind("atomic_add", [](Atom atom, Number value) { return atom.fetch_add(value); });
    bind("atomic_and", [](Atom atom, Number value) { return atom.fetch_and(value); });
    bind("atomic_or", [](Atom atom, Number value) { return atom.fetch_or(value); });
    bind("atomic_xor", [](Atom atom, Number value) { return atom.fetch_xor(value); });
    bind("atomic_write", [](Atom atom, Number value) { atom.store(value); });
    module.def(
        "atomic_read", [=](int image, const Element& like) { return atom_of(image, like).load(); },
        "image"_a, element());
    module.def(
        "atomic_cas",
        [=](int image, const Element& like, Number compare, Number value) {
            return atom_of(image, like).compare_and_swap(compare, value);
        },
        "image"_a, element(), "compare"_a, "value"_a);
}

void bind_job(nb::module_& module) {
    module.def("join", [] {
        images().job().diagnosis().set_backtrace([] {
            const nb::gil_scoped_acquire lock;
            nb::module_::import_("faulthandler").attr("dump_traceback")();
        });
    });
    module.def(
        "stop", [] { images().job().stop(); }, Waiting());
    module.def("fail_image", [] { images().job().fail(); });
    module.def("end_all", [](int exit_code) { images().job().end_all(exit_code); });
}

void bind_images(nb::module_& module) {
    module.def("this_image", &this_image);
    module.def("num_images", &num_images);
    nb::enum_<State>(module, "State", "What has become of an image.")
        .value("absent", State::absent)
        .value("running", State::running)
        .value("stopped", State::stopped)
        .value("failed", State::failed);
    module.def("state_of", &state_of);
    module.def("images_in", &images_in);
    module.def("sync_all", &sync_all, Waiting());
    module.def("sync_memory", &sync_memory);
    module.def(
        "sync_images", [](const std::vector<int>& images) { sync_images(images); }, Waiting());
    nb::class_<Team>(module, "Team", "Images that work together.")
        .def_prop_ro("number", &Team::number);
    module.def("form_team", &form_team, nb::rv_policy::reference, Waiting());
    module.def("change_team", &change_team, Waiting());
    module.def(
        "end_team", [] { check(images().end_team(), "end_team"); }, Waiting());
    module.def("leave_team", [] { images().leave_team(); });
    module.def("team_number", [] { return images().team().number(); });
}

}  // namespace
}  // namespace halocline::bindings

NB_MODULE(_pgas, module) {
    using namespace halocline::bindings;
    module.doc() = "Images and their coarrays.";
    nb::register_exception_translator(translate);
    bind_job(module);
    bind_images(module);
    bind_chosen(module);
    bind_memory(module);
    bind_atomics<std::int32_t>(module);
    bind_atomics<std::int64_t>(module);
    bind_collectives(module);
}
