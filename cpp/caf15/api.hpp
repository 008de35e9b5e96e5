#pragma once

#include <cstdint>

#include "caf/api.hpp"

/// The functions that only gfortran 15 calls, or calls in this way; written from its published
/// interface, and never tested with that compiler.
///
/// What a program does with data of another image is in functions that the compiler makes: so
/// called accessors, which the program registers by hash values. They work on that image's memory,
/// which is this one's, too. Teams are handles; an image selector has a pointer to one, or to a
/// team's number, or null where it means the current team.
namespace halocline::caf {

/// An accessor as it is registered; it is of one of the types in accessor.hpp.
using Accessor = void (*)();

}  // namespace halocline::caf

// Who an image is.
HALOCLINE_CAF int _gfortran_caf_this_image(void* team);
HALOCLINE_CAF int _gfortran_caf_num_images(void* team, std::int32_t* team_number);

// Synchronisation.
HALOCLINE_CAF void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_sync_images(int count, int* others, int* stat, char* message,
                                             std::size_t length);

// Accessors.
HALOCLINE_CAF void _gfortran_caf_register_accessor(int hash, halocline::caf::Accessor accessor);
HALOCLINE_CAF void _gfortran_caf_register_accessors_finish();
HALOCLINE_CAF int _gfortran_caf_get_remote_function_index(int hash);

// Data of coarrays. Lengths are those of strings, in characters.
HALOCLINE_CAF void _gfortran_caf_get_from_remote(
    void* token, const halocline::caf::Descriptor* source, const std::size_t* source_length,
    int image, std::size_t bytes, void** target, std::size_t* target_length,
    halocline::caf::Descriptor* target_descriptor, bool is_reallocatable, int getter, void* extra,
    std::size_t extra_bytes, int* stat, void** team, int* team_number);
HALOCLINE_CAF std::int32_t _gfortran_caf_is_present_on_remote(void* token, int image, int presence,
                                                              void* extra, std::size_t extra_bytes);
HALOCLINE_CAF void _gfortran_caf_send_to_remote(void* token, halocline::caf::Descriptor* target,
                                                const std::size_t* target_length, int image,
                                                std::size_t bytes, const void* source,
                                                const std::size_t* source_length,
                                                const halocline::caf::Descriptor* source_descriptor,
                                                int receiver, void* extra, std::size_t extra_bytes,
                                                int* stat, void** team, int* team_number);
HALOCLINE_CAF void _gfortran_caf_transfer_between_remotes(
    void* target_token, halocline::caf::Descriptor* target, std::size_t* target_length,
    int target_image, int receiver, void* target_extra, std::size_t target_extra_bytes,
    void* source_token, const halocline::caf::Descriptor* source, const std::size_t* source_length,
    int source_image, int getter, void* source_extra, std::size_t source_extra_bytes,
    std::size_t bytes, bool is_scalar, int* target_stat, int* source_stat, void** target_team,
    int* target_team_number, void** source_team, int* source_team_number);

// Teams.
HALOCLINE_CAF void _gfortran_caf_form_team(int number, void** team, int* new_index, int* stat,
                                           char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_change_team(void* team, int* stat, char* message,
                                             std::size_t length);
HALOCLINE_CAF void _gfortran_caf_end_team(int* stat, char* message, std::size_t length);
HALOCLINE_CAF void _gfortran_caf_sync_team(void* team, int* stat, char* message,
                                           std::size_t length);
HALOCLINE_CAF int _gfortran_caf_team_number(void* team);
HALOCLINE_CAF void* _gfortran_caf_get_team(std::int32_t* level);
