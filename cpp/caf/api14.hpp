#pragma once

#include "caf/api.hpp"

/// The functions that only gfortran 11 to 14 calls, or calls in this way.

namespace halocline::caf {
struct Reference;
}  // namespace halocline::caf

// Who an image is.
HALOCLINE_CAF int _gfortran_caf_this_image(int distance);
HALOCLINE_CAF int _gfortran_caf_num_images(int distance, int failed);

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

// Teams.
HALOCLINE_CAF void _gfortran_caf_form_team(int number, void** team, int unused);
HALOCLINE_CAF void _gfortran_caf_change_team(void** team, int unused);
HALOCLINE_CAF void _gfortran_caf_end_team(void** team);
HALOCLINE_CAF void _gfortran_caf_sync_team(void** team, int unused);
HALOCLINE_CAF int _gfortran_caf_team_number(void* team);
HALOCLINE_CAF void* _gfortran_caf_get_team(int level);
