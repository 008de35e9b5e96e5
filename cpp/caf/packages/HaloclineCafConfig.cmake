# find_package(HaloclineCaf) gives the target Halocline::caf, with which coarray programs of GNU
# Fortran are compiled and linked, Halocline::coarray for those in C++, and HALOCLINE_CAF, the
# command that runs both.

get_filename_component(halocline_caf_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# gfortran 15 calls a library of its own.
set(halocline_caf_library halocline_caf)
if(CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  set(halocline_caf_library halocline_caf15)
endif()

if(NOT TARGET Halocline::caf)
  add_library(Halocline::caf SHARED IMPORTED)
  set_target_properties(Halocline::caf PROPERTIES
    IMPORTED_LOCATION "${halocline_caf_prefix}/lib/lib${halocline_caf_library}.so"
    IMPORTED_NO_SONAME ON
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:Fortran>:-fcoarray=lib>")
endif()
if(NOT TARGET Halocline::coarray)
  add_library(Halocline::coarray STATIC IMPORTED)
  set_target_properties(Halocline::coarray PROPERTIES
    IMPORTED_LOCATION "${halocline_caf_prefix}/lib/libhalocline_pgas.a"
    INTERFACE_INCLUDE_DIRECTORIES "${halocline_caf_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}"
    INTERFACE_LINK_OPTIONS "LINKER:-rpath,${halocline_caf_prefix}/lib")
endif()
set(HALOCLINE_CAF "${halocline_caf_prefix}/bin/halocline-caf")
set(HaloclineCaf_FOUND TRUE)
