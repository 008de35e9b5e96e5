#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/pgas_collectives.hpp"
#include "pgas/coarray.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

using namespace halocline::pgas;

using Waiting = nb::call_guard<nb::gil_scoped_release>;

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

/// Memory of a coarray: as much in every image.
class Memory {
public:
    explicit Memory(std::int64_t bytes) : bytes_(bytes), piece_(allocate(bytes)) {}

    void free() const { pgas::free(piece_); }
    /// What an image, from 0 in the initial team, has there.
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
    using Element = nb::ndarray<Number, nb::ndim<0>, nb::device::cpu>;
    const auto element = [] { return nb::arg("element").noconvert(); };
    const auto bind = [&](const char* name, auto operation) {
        module.def(
            name,
            [operation](const Element& given, Number value) {
                return operation(std::atomic_ref<Number>(*given.data()), value);
            },
            element(), "value"_a);
    };
    using Atom = std::atomic_ref<Number>;
    bind("atomic_add", [](Atom atom, Number value) { return atom.fetch_add(value); });
    bind("atomic_and", [](Atom atom, Number value) { return atom.fetch_and(value); });
    bind("atomic_or", [](Atom atom, Number value) { return atom.fetch_or(value); });
    bind("atomic_xor", [](Atom atom, Number value) { return atom.fetch_xor(value); });
    bind("atomic_write", [](Atom atom, Number value) { atom.store(value); });
    module.def(
        "atomic_read", [](const Element& given) { return Atom(*given.data()).load(); }, element());
    module.def(
        "atomic_cas",
        [](const Element& given, Number compare, Number value) {
            static_cast<void>(Atom(*given.data()).compare_exchange_strong(compare, value));
            return compare;
        },
        element(), "compare"_a, "value"_a);
}

void bind_job(nb::module_& module) {
    nb::class_<Block>(module, "Block", "The memory of all images of a node.")
        .def_prop_ro("descriptor", &Block::descriptor);
    module.def("create_block", [](int count) {
        Block block = Block::create(count, machine_bytes());
        block.move_to_its_address();
        return block;
    });
    module.def("open_block",
               [](int process, int descriptor) { return Block::open(process, descriptor); });
    module.def("join", [] { static_cast<void>(images()); });
    module.def("join_block", [](const Block& block, int image) {
        static_cast<void>(Job::join(block, image));
        static_cast<void>(images());
    });
    module.def("stop", [] { images().job().stop(); });
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
    bind_memory(module);
    bind_atomics<std::int32_t>(module);
    bind_atomics<std::int64_t>(module);
    bind_collectives(module);
}
