#include "pgas/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <string>

namespace halocline::pgas {

int create_shared_file(bool is_inherited) {
    return memfd_create("halocline", is_inherited ? 0 : MFD_CLOEXEC);
}

int open_shared_file(std::int64_t process, int descriptor) {
    const std::string file =
        "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
    return open(file.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace halocline::pgas
