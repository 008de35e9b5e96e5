#pragma once

#include <cstddef>

#include "caf/descriptor.hpp"
#include "pgas/error.hpp"

/// The functions that gfortran 11 to 15 calls in the same way with -fcoarray=lib; what only 11 to
/// 14 has is in api14.hpp, what only 15 has in caf15/api.hpp. Images are numbered from 1; `stat`,
/// `message` and vectors may be null; messages are padded with blanks. Arguments are those of the
/// calls that the compiler emits, which here and there are more than its header declares.
#define HALOCLINE_CAF extern "C" HALOCLINE_EXPORT

// Life of an image.
HALOCLINE_CAF void _gfortran_caf_init(int* argc, char*** argv);
HALOCLINE_CAF void _gfortran_caf_finalize();
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_stop_numeric(int code, bool quiet);
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_stop_str(const char* text, std::size_t length,
                                                       bool quiet);
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_error_stop(int code, bool quiet);
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_error_stop_str(const char* text, std::size_t length,
                                                             bool quiet);
HALOCLINE_CAF void _gfortran_caf_random_init(bool repeatable, bool image_distinct);

// Memory.
HALOCLINE_CAF void _gfortran_caf_register(std::size_t size, int kind, void** token,
                                          halocline::caf::Descriptor* descriptor, int* stat,
                                          char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_deregister(void** token, int kind, int* stat, char* message,
                                            std::size_t length);

// Atomic procedures; image 0 is this one.
HALOCLINE_CAF void _gfortran_caf_atomic_define(void* token, std::size_t offset, int image,
                                               void* value, int* stat, int type, int kind);
HALOCLINE_CAF void _gfortran_caf_atomic_ref(void* token, std::size_t offset, int image, void* value,
                                            int* stat, int type, int kind);
HALOCLINE_CAF void _gfortran_caf_atomic_cas(void* token, std::size_t offset, int image, void* old,
                                            void* compare, void* value, int* stat, int type,
                                            int kind);
HALOCLINE_CAF void _gfortran_caf_atomic_op(int operation, void* token, std::size_t offset,
                                           int image, void* value, void* old, int* stat, int type,
                                           int kind);

// Locks and events.
HALOCLINE_CAF void _gfortran_caf_lock(void* token, std::size_t index, int image, int* acquired,
                                      int* stat, char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_unlock(void* token, std::size_t index, int image, int* stat,
                                        char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_event_post(void* token, std::size_t index, int image, int* stat,
                                            char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_event_wait(void* token, std::size_t index, int until, int* stat,
                                            char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_event_query(void* token, std::size_t index, int image, int* count,
                                             int* stat);

// Collective procedures.
HALOCLINE_CAF void _gfortran_caf_co_broadcast(halocline::caf::Descriptor* array, int source,
                                              int* stat, char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_co_sum(halocline::caf::Descriptor* array, int result, int* stat,
                                        char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_co_min(halocline::caf::Descriptor* array, int result, int* stat,
                                        char* message, int characters, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_co_max(halocline::caf::Descriptor* array, int result, int* stat,
                                        char* message, int characters, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_co_reduce(halocline::caf::Descriptor* array, void (*operation)(),
                                           int flags, int result, int* stat, char* message,
                                           int characters, std::size_t length);

// Failed and stopped images.
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_fail_image();
HALOCLINE_CAF void _gfortran_caf_failed_images(halocline::caf::Descriptor* array, void** team,
                                               int* kind);
HALOCLINE_CAF void _gfortran_caf_stopped_images(halocline::caf::Descriptor* array, void** team,
                                                int* kind);
HALOCLINE_CAF int _gfortran_caf_image_status(int image, void** team);
