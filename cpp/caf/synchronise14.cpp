// SYNC ALL, SYNC MEMORY, SYNC IMAGES, as gfortran 11 to 14 calls them.

#include "caf/api14.hpp"
#include "caf/synchronise.hpp"

using namespace halocline::caf;

namespace {

char* text_at(char** message) {
    return message == nullptr ? nullptr : *message;
}

}  // namespace

void _gfortran_caf_sync_all(int* stat, char** message, std::size_t length) {
    sync_all({stat, text_at(message), length});
}

void _gfortran_caf_sync_memory(int* stat, char** message, std::size_t length) {
    sync_memory({stat, text_at(message), length});
}

void _gfortran_caf_sync_images(int count, int* others, int* stat, char** message,
                               std::size_t length) {
    sync_images(count, others, {stat, text_at(message), length});
}
