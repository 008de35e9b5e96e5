# Finds an MPI C++ compiler wrapper: the cache variable MPICXX, the environment variable MPICXX,
# then 'mpicxx' on the path or beside the Python interpreter (where the MPICH wheel puts it).
# Defines the target halocline_mpi, and MPI_FOLDERS, where its library lies unless it is a wheel's;
# or says that there is no MPI.

set(wrapper "${MPICXX}")
if(NOT wrapper AND DEFINED ENV{MPICXX})
  set(wrapper "$ENV{MPICXX}")
endif()
set(python_folder "")
if(Python_EXECUTABLE)
  get_filename_component(python_folder "${Python_EXECUTABLE}" DIRECTORY)
endif()
if(wrapper)
  find_program(HALOCLINE_MPICXX "${wrapper}" REQUIRED)
else()
  find_program(HALOCLINE_MPICXX mpicxx HINTS "${python_folder}")
endif()
mark_as_advanced(HALOCLINE_MPICXX)

if(HALOCLINE_MPICXX)
  set(MPI_CXX_COMPILER "${HALOCLINE_MPICXX}")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX)
endif()

if(MPI_CXX_FOUND)
  message(STATUS "Halocline: with MPI, from ${HALOCLINE_MPICXX}")
  list(GET MPI_CXX_LIBRARIES 0 mpi_library)
  get_filename_component(MPI_FOLDERS "${mpi_library}" DIRECTORY)
  # A wheel may lie in the environment of an isolated build, whose name anybody can take when it is
  # gone: then nothing of its place may stay in what is built.
  file(GLOB wheels "${MPI_FOLDERS}/python*/site-packages/*mpi*.dist-info")
  if(wheels)
    set(MPI_FOLDERS "")
    set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_LINK_OPTIONS "")
  endif()
  add_library(halocline_mpi STATIC
    cpp/mpi/remote_memory.cpp
    cpp/mpi/window.cpp
    cpp/transport/datatype.cpp
    cpp/transport/device_trial.cpp
    cpp/transport/get.cpp
    cpp/transport/mpi.cpp
    cpp/transport/mpi_wire.cpp
    cpp/transport/peer_channel.cpp
    cpp/transport/put.cpp)
  set_target_properties(halocline_mpi PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(halocline_mpi PUBLIC halocline MPI::MPI_CXX PRIVATE halocline_warnings)

  # Images on several nodes: loaded by coarray programs that an MPI launcher has started.
  add_library(halocline_pgas_mpi SHARED
    cpp/mpi/remote_memory.cpp
    cpp/network/bootstrap.cpp
    cpp/network/mpi_network.cpp)
  set_target_properties(halocline_pgas_mpi PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(halocline_pgas_mpi
    PRIVATE halocline_pgas MPI::MPI_CXX halocline_warnings)
else()
  message(STATUS "Halocline: no MPI compiler wrapper (mpicxx) found, "
                 "the module '_mpi' is not built: one process only")
endif()
