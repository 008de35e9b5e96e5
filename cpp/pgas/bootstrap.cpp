#include "pgas/bootstrap.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "pgas/error.hpp"
#include "pgas/whole_number.hpp"

namespace halocline::pgas {
namespace {

constexpr const char* library_name = "libhalocline_pgas_mpi.so";

/// Where the library may be, seen from the folder of the one that this code is in: beside that of
/// Fortran, and from that of Python.
constexpr std::array folders{".", "caf/lib"};

/// The library: in one of these folders, or where the system looks for libraries. Throws JobError.
void* load() {
    std::string file = library_name;
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&processes_by_mpi), &here) != 0) {
        const auto folder = std::filesystem::path(here.dli_fname).parent_path();
        for (const char* relative : folders) {
            const auto found = folder / relative / library_name;
            if (std::filesystem::exists(found)) file = found.string();
        }
    }
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    throw JobError(
        std::string("An MPI launcher has started this program, but MPI cannot be used: ") +
        dlerror() +
        ". On one node 'halocline caf run' needs no MPI; for several nodes Halocline is to be "
        "installed where there is MPI (mpicxx).");
}

}  // namespace

int processes_by_mpi() {
    constexpr const char* what = "a number of processes";
    // Set by the launchers of MPICH and its relatives, of Open MPI, and by Slurm's of processes
    // that find each other by PMIx.
    for (const char* variable : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
        if (const int size = number_in_environment(variable, what); size > 0) return size;
    }
    if (std::getenv("PMIX_RANK") == nullptr) return 0;
    return number_in_environment("SLURM_STEP_NUM_TASKS", what);
}

Bootstrap bootstrap_by_mpi() {
    void* function = dlsym(load(), bootstrap_name);
    if (function == nullptr) {
        throw JobError(std::string(library_name) + " is of another version of Halocline.");
    }
    return reinterpret_cast<BootstrapFunction>(function)();
}

}  // namespace halocline::pgas
