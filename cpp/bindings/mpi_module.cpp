#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "transport/mpi.hpp"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_mpi, module) {
    using namespace halocline;
    module.doc() = "The transports of Halocline that need MPI.";
    // Registers the type 'Transport', which this module shares.
    nb::module_::import_("halocline.runtime._core");
    module.def("transport", &mpi_transport, "fortran_handle"_a, "nodes"_a, "latency_s"_a,
               "seconds_per_byte"_a, "Return all transports on a duplicate of the communicator.");
    module.def("start", &mpi_start, nb::call_guard<nb::gil_scoped_release>(),
               "Start MPI, unless it has been started; other threads go on meanwhile.");
    module.def("library_version", &mpi_library_version,
               "Return name and version of the MPI library.");
    module.def("abort", &mpi_abort, "code"_a, nb::call_guard<nb::gil_scoped_release>(),
               "End all processes of the job.");
}
