# One-sided memory, and what stands on it: the coarray library of GNU Fortran and its launcher. They
# need neither Python nor MPI, and lie together in the folder 'caf' of the installed package.

set(pgas_sources
  cpp/pgas/assign.cpp
  cpp/pgas/block.cpp
  cpp/pgas/collective.cpp
  cpp/pgas/combine.cpp
  cpp/pgas/convert.cpp
  cpp/pgas/heap.cpp
  cpp/pgas/images.cpp
  cpp/pgas/job.cpp
  cpp/pgas/lock.cpp
  cpp/pgas/signal.cpp
  cpp/pgas/team.cpp)
# Compiled once for all libraries that have it.
add_library(halocline_pgas OBJECT ${pgas_sources})
set_target_properties(halocline_pgas PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(halocline_pgas PUBLIC cpp)
target_link_libraries(halocline_pgas PRIVATE halocline_warnings)

set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cpp/caf/exports.map)
add_library(halocline_caf SHARED
  cpp/caf/atomic.cpp
  cpp/caf/collectives.cpp
  cpp/caf/data.cpp
  cpp/caf/descriptor.cpp
  cpp/caf/failed.cpp
  cpp/caf/life.cpp
  cpp/caf/locks.cpp
  cpp/caf/memory.cpp
  cpp/caf/random.cpp
  cpp/caf/reduce.cpp
  cpp/caf/reference.cpp
  cpp/caf/reference_data.cpp
  cpp/caf/report.cpp
  cpp/caf/synchronise.cpp
  cpp/caf/team.cpp)
set_target_properties(halocline_caf PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${exports})
target_link_options(halocline_caf PRIVATE "LINKER:--version-script=${exports}")
target_link_libraries(halocline_caf PRIVATE halocline_pgas halocline_warnings)

add_executable(halocline-caf
  cpp/launcher/build.cpp
  cpp/launcher/children.cpp
  cpp/launcher/main.cpp
  cpp/launcher/program_file.cpp
  cpp/launcher/run.cpp
  cpp/pgas/block.cpp
  cpp/pgas/signal.cpp)
target_include_directories(halocline-caf PRIVATE cpp)
target_link_libraries(halocline-caf PRIVATE halocline_warnings)

set(caf_destination halocline/caf)
install(TARGETS halocline_caf LIBRARY DESTINATION ${caf_destination}/lib)
install(TARGETS halocline-caf RUNTIME DESTINATION ${caf_destination}/bin)
