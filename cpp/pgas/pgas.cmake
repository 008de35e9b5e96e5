# One-sided memory, and what stands on it: the coarray libraries of GNU Fortran and their launcher.
# They need neither Python nor MPI, and lie together in the folder 'caf' of the installed package.

set(pgas_sources
  cpp/pgas/assign.cpp
  cpp/pgas/atomic.cpp
  cpp/pgas/block.cpp
  cpp/pgas/bootstrap.cpp
  cpp/pgas/collective.cpp
  cpp/pgas/combine.cpp
  cpp/pgas/convert.cpp
  cpp/pgas/diagnosis.cpp
  cpp/pgas/error.cpp
  cpp/pgas/event.cpp
  cpp/pgas/heap.cpp
  cpp/pgas/images.cpp
  cpp/pgas/job.cpp
  cpp/pgas/lock.cpp
  cpp/pgas/memory_size.cpp
  cpp/pgas/private_memory.cpp
  cpp/pgas/process.cpp
  cpp/pgas/shared_file.cpp
  cpp/pgas/signal.cpp
  cpp/pgas/team.cpp
  cpp/pgas/transfer.cpp
  cpp/pgas/whole_number.cpp)
# Compiled once for all libraries that have it.
add_library(halocline_pgas OBJECT ${pgas_sources})
set_target_properties(halocline_pgas PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(halocline_pgas PUBLIC cpp)
target_link_libraries(halocline_pgas PUBLIC ${CMAKE_DL_LIBS} PRIVATE halocline_warnings)

# For programs in C++: they include "pgas/coarray.hpp".
add_library(halocline_pgas_archive STATIC $<TARGET_OBJECTS:halocline_pgas>)
set_target_properties(halocline_pgas_archive PROPERTIES OUTPUT_NAME halocline_pgas)

set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cpp/caf/exports.map)
# What gfortran 11 to 15 calls in the same way.
add_library(halocline_caf_shared OBJECT
  cpp/caf/atomic.cpp
  cpp/caf/collectives.cpp
  cpp/caf/descriptor.cpp
  cpp/caf/failed.cpp
  cpp/caf/life.cpp
  cpp/caf/locks.cpp
  cpp/caf/memory.cpp
  cpp/caf/opencoarrays.cpp
  cpp/caf/random.cpp
  cpp/caf/reduce.cpp
  cpp/caf/release.cpp
  cpp/caf/report.cpp
  cpp/caf/synchronise.cpp)
# The library of gfortran 11 to 14, and that of gfortran 15.
add_library(halocline_caf SHARED
  cpp/caf/data.cpp
  cpp/caf/newer.cpp
  cpp/caf/reference.cpp
  cpp/caf/reference_data.cpp
  cpp/caf/synchronise14.cpp
  cpp/caf/team.cpp)
add_library(halocline_caf15 SHARED
  cpp/caf15/accessor.cpp
  cpp/caf15/data.cpp
  cpp/caf15/form_team.cpp
  cpp/caf15/older.cpp
  cpp/caf15/remote.cpp
  cpp/caf15/synchronise.cpp
  cpp/caf15/team.cpp)
foreach(library halocline_caf_shared halocline_caf halocline_caf15)
  set_target_properties(${library} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${library} PRIVATE cpp)
  target_link_libraries(${library} PRIVATE halocline_warnings)
endforeach()
foreach(library halocline_caf halocline_caf15)
  set_target_properties(${library} PROPERTIES LINK_DEPENDS ${exports})
  target_link_options(${library} PRIVATE "LINKER:--version-script=${exports}")
  target_link_libraries(${library} PRIVATE halocline_caf_shared halocline_pgas)
endforeach()

add_executable(halocline-caf
  cpp/launcher/build.cpp
  cpp/launcher/children.cpp
  cpp/launcher/hosts.cpp
  cpp/launcher/main.cpp
  cpp/launcher/module.cpp
  cpp/launcher/program_file.cpp
  cpp/launcher/run.cpp
  cpp/pgas/block.cpp
  cpp/pgas/diagnosis.cpp
  cpp/pgas/error.cpp
  cpp/pgas/memory_size.cpp
  cpp/pgas/shared_file.cpp
  cpp/pgas/signal.cpp
  cpp/pgas/whole_number.cpp)
target_include_directories(halocline-caf PRIVATE cpp)
target_link_libraries(halocline-caf PRIVATE halocline_warnings)

set(caf_destination halocline/caf)
install(TARGETS halocline_caf halocline_caf15 LIBRARY DESTINATION ${caf_destination}/lib)
install(TARGETS halocline-caf RUNTIME DESTINATION ${caf_destination}/bin)
install(TARGETS halocline_pgas_archive ARCHIVE DESTINATION ${caf_destination}/lib)
install(DIRECTORY cpp/pgas DESTINATION ${caf_destination}/include FILES_MATCHING PATTERN "*.hpp")
install(FILES cpp/caf/packages/halocline-caf.pc cpp/caf/packages/halocline-coarray.pc
  DESTINATION ${caf_destination}/lib/pkgconfig)
install(FILES cpp/caf/opencoarrays.f90 DESTINATION ${caf_destination}/modules)
install(FILES cpp/caf/packages/HaloclineCafConfig.cmake
  DESTINATION ${caf_destination}/lib/cmake/HaloclineCaf)
