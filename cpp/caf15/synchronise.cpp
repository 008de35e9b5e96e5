// SYNC ALL, SYNC MEMORY, SYNC IMAGES, as gfortran 15 calls them.

#include "caf/synchronise.hpp"

#include "caf15/api.hpp"

using namespace halocline::caf;

void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length) {
    sync_all({stat, message, length});
}

void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t length) {
    sync_memory({stat, message, length});
}

void _gfortran_caf_sync_images(int count, int* others, int* stat, char* message,
                               std::size_t length) {
    sync_images(count, others, {stat, message, length});
}
