#include "launcher/program_file.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "pgas/block.hpp"

namespace halocline::launcher {
namespace {

/// The file that a shell would run by this name.
std::string found_in_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return program;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = folder + "/" + program;
        if (access(file.c_str(), X_OK) == 0) return file;
    }
    return program;
}

std::vector<char> content_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

template <class Record>
const Record* record_at(const std::vector<char>& file, std::size_t offset) {
    if (offset + sizeof(Record) > file.size()) return nullptr;
    return reinterpret_cast<const Record*>(file.data() + offset);
}

const Elf64_Shdr* section_at(const std::vector<char>& file, const Elf64_Ehdr& header,
                             std::size_t i) {
    return record_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
}

/// The names of the shared libraries that a program wants.
std::vector<std::string> libraries_of(const std::vector<char>& file) {
    const auto* header = record_at<Elf64_Ehdr>(file, 0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
    if (header->e_ident[EI_CLASS] != ELFCLASS64) return {};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
        const Elf64_Shdr* section = section_at(file, *header, i);
        if (section == nullptr || section->sh_type != SHT_DYNAMIC) continue;
        const Elf64_Shdr* texts = section_at(file, *header, section->sh_link);
        if (texts == nullptr) continue;
        for (std::size_t at = 0; at < section->sh_size; at += sizeof(Elf64_Dyn)) {
            const auto* entry = record_at<Elf64_Dyn>(file, section->sh_offset + at);
            if (entry == nullptr || entry->d_tag != DT_NEEDED) continue;
            const std::size_t name = texts->sh_offset + entry->d_un.d_val;
            if (name < file.size()) {
                const std::size_t length = strnlen(file.data() + name, file.size() - name);
                names.emplace_back(file.data() + name, length);
            }
        }
    }
    return names;
}

}  // namespace

void require_our_library(const std::string& program) {
    const std::string file = found_in_path(program);
    if (!std::filesystem::is_regular_file(file)) return;
    for (const std::string& name : libraries_of(content_of(file))) {
        if (name.starts_with("libcaf_")) {
            throw pgas::JobError("'" + program + "' was linked with another coarray library (" +
                                 name +
                                 "): build it with 'halocline caf build', or start it as "
                                 "that library wants.");
        }
    }
}

}  // namespace halocline::launcher
