#pragma once

#include <cstddef>

#include "caf/descriptor.hpp"
#include "core/error.hpp"

/// The functions that gfortran 11 to 14 calls with -fcoarray=lib. Images are numbered from 1;
/// `stat`, `message` and vectors may be null; messages are padded with blanks. Arguments are those
/// of the calls that the compiler emits, which here and there are more than its header declares.
#define HALOCLINE_CAF extern "C" HALOCLINE_EXPORT

namespace halocline::caf {
struct Reference;
}  // namespace halocline::caf

// Life of an image.
HALOCLINE_CAF void _gfortran_caf_init(int* argc, char*** argv);
HALOCLINE_CAF void _gfortran_caf_finalize();
HALOCLINE_CAF int _gfortran_caf_this_image(int distance);
HALOCLINE_CAF int _gfortran_caf_num_images(int distance, int failed);
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

// Synchronisation. Here the compiler passes where it keeps the address of a message.
HALOCLINE_CAF void _gfortran_caf_sync_all(int* stat, char** message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_sync_memory(int* stat, char** message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_sync_images(int count, int* others, int* stat, char** message,
                                             std::size_t length);

// Data of coarrays.
HALOCLINE_CAF void _gfortran_caf_get(void* token, std::size_t offset, int image,
                                     halocline::caf::Descriptor* source,
                                     halocline::caf::Subscripts* source_subscripts,
                                     halocline::caf::Descriptor* target, int source_kind,
                                     int target_kind, bool may_overlap, int* stat);
HALOCLINE_CAF void _gfortran_caf_send(void* token, std::size_t offset, int image,
                                      halocline::caf::Descriptor* target,
                                      halocline::caf::Subscripts* target_subscripts,
                                      halocline::caf::Descriptor* source, int target_kind,
                                      int source_kind, bool may_overlap, int* stat, void* team);
HALOCLINE_CAF void _gfortran_caf_sendget(void* target_token, std::size_t target_offset,
                                         int target_image, halocline::caf::Descriptor* target,
                                         halocline::caf::Subscripts* target_subscripts,
                                         void* source_token, std::size_t source_offset,
                                         int source_image, halocline::caf::Descriptor* source,
                                         halocline::caf::Subscripts* source_subscripts,
                                         int target_kind, int source_kind, bool may_overlap,
                                         int* stat);

// Data that references lead to.
HALOCLINE_CAF void _gfortran_caf_get_by_ref(void* token, int image,
                                            halocline::caf::Descriptor* target,
                                            halocline::caf::Reference* references, int target_kind,
                                            int source_kind, bool may_overlap,
                                            bool is_reallocatable, int* stat, int source_type);
HALOCLINE_CAF void _gfortran_caf_send_by_ref(void* token, int image,
                                             halocline::caf::Descriptor* source,
                                             halocline::caf::Reference* references, int target_kind,
                                             int source_kind, bool may_overlap,
                                             bool is_reallocatable, int* stat, int target_type);
HALOCLINE_CAF void _gfortran_caf_sendget_by_ref(void* target_token, int target_image,
                                                halocline::caf::Reference* target_references,
                                                void* source_token, int source_image,
                                                halocline::caf::Reference* source_references,
                                                int target_kind, int source_kind, bool may_overlap,
                                                int* target_stat, int* source_stat, int target_type,
                                                int source_type);
HALOCLINE_CAF int _gfortran_caf_is_present(void* token, int image,
                                           halocline::caf::Reference* references);

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

// Teams.
HALOCLINE_CAF void _gfortran_caf_form_team(int number, void** team, int unused);
HALOCLINE_CAF void _gfortran_caf_change_team(void** team, int unused);
HALOCLINE_CAF void _gfortran_caf_end_team(void** team);
HALOCLINE_CAF void _gfortran_caf_sync_team(void** team, int unused);
HALOCLINE_CAF int _gfortran_caf_team_number(void* team);
HALOCLINE_CAF void* _gfortran_caf_get_team(int level);

// Failed and stopped images.
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_fail_image();
HALOCLINE_CAF void _gfortran_caf_failed_images(halocline::caf::Descriptor* array, void** team,
                                               int* kind);
HALOCLINE_CAF void _gfortran_caf_stopped_images(halocline::caf::Descriptor* array, void** team,
                                                int* kind);
HALOCLINE_CAF int _gfortran_caf_image_status(int image, void** team);
