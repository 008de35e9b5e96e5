# find_package(HaloclineCaf) gives the target Halocline::caf, with which coarray programs of GNU
# Fortran are compiled and linked, and HALOCLINE_CAF, the command that runs them.

get_filename_component(halocline_caf_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET Halocline::caf)
  add_library(Halocline::caf SHARED IMPORTED)
  set_target_properties(Halocline::caf PROPERTIES
    IMPORTED_LOCATION "${halocline_caf_prefix}/lib/libhalocline_caf.so"
    IMPORTED_NO_SONAME ON
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:Fortran>:-fcoarray=lib>")
endif()
set(HALOCLINE_CAF "${halocline_caf_prefix}/bin/halocline-caf")
set(HaloclineCaf_FOUND TRUE)
