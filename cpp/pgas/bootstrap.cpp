#include "pgas/bootstrap.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "pgas/error.hpp"

namespace halocline::pgas {
namespace {

constexpr const char* library_name = "libhalocline_pgas_mpi.so";

/// The library lies beside the one that this code is in, or where the system looks for libraries.
void* load() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&is_started_by_mpi), &here) != 0) {
        const auto folder = std::filesystem::path(here.dli_fname).parent_path();
        const std::string beside = (folder / library_name).string();
        if (void* library = dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    }
    return dlopen(library_name, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

bool is_started_by_mpi() {
    // Set by the launchers of MPICH and its relatives, and of Open MPI.
    for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
        const char* size = std::getenv(name);
        if (size != nullptr && std::atoi(size) > 1) return true;
    }
    return false;
}

Bootstrap bootstrap_by_mpi(std::int64_t heap_bytes) {
    void* library = load();
    void* function = library == nullptr ? nullptr : dlsym(library, bootstrap_name);
    if (function == nullptr) {
        throw JobError(
            std::string("An MPI launcher has started this program, but there is no ") +
            library_name +
            " beside Halocline's coarray library (MPI was not found when it was installed). On "
            "one node 'halocline caf run' needs no MPI.");
    }
    return reinterpret_cast<BootstrapFunction>(function)(heap_bytes);
}

}  // namespace halocline::pgas
