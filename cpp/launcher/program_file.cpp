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

/// The dynamic sections of a type, each with the one that has its texts. Nothing of other files.
template <class Action>
void for_sections(const std::vector<char>& file, unsigned type, const Action& action) {
    const auto* header = record_at<Elf64_Ehdr>(file, 0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64) return;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
        const Elf64_Shdr* section = section_at(file, *header, i);
        if (section == nullptr || section->sh_type != type) continue;
        const Elf64_Shdr* texts = section_at(file, *header, section->sh_link);
        if (texts != nullptr) action(*section, *texts);
    }
}

/// A text of a section of texts; empty if the file ends before.
std::string text_at(const std::vector<char>& file, const Elf64_Shdr& texts, std::size_t place) {
    const std::size_t name = texts.sh_offset + place;
    if (name >= file.size()) return {};
    return {file.data() + name, strnlen(file.data() + name, file.size() - name)};
}

/// The names of the shared libraries that a program wants.
std::vector<std::string> libraries_of(const std::vector<char>& file) {
    std::vector<std::string> names;
    for_sections(file, SHT_DYNAMIC, [&](const Elf64_Shdr& section, const Elf64_Shdr& texts) {
        for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Dyn)) {
            const auto* entry = record_at<Elf64_Dyn>(file, section.sh_offset + at);
            if (entry == nullptr || entry->d_tag != DT_NEEDED) continue;
            names.push_back(text_at(file, texts, entry->d_un.d_val));
        }
    });
    return names;
}

/// Whether a program calls a procedure of MPI, by its name in C or Fortran.
bool calls_mpi(const std::vector<char>& file) {
    bool does = false;
    for_sections(file, SHT_DYNSYM, [&](const Elf64_Shdr& section, const Elf64_Shdr& texts) {
        for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
            const auto* symbol = record_at<Elf64_Sym>(file, section.sh_offset + at);
            if (symbol == nullptr || symbol->st_shndx != SHN_UNDEF) continue;
            const std::string name = text_at(file, texts, symbol->st_name);
            does = does || name.starts_with("MPI_") || name.starts_with("mpi_");
        }
    });
    return does;
}

}  // namespace

void require_our_images(const std::string& program, int images) {
    const std::string file = found_in_path(program);
    if (!std::filesystem::is_regular_file(file)) return;
    const std::vector<char> content = content_of(file);
    for (const std::string& name : libraries_of(content)) {
        if (name.starts_with("libcaf_")) {
            throw pgas::JobError("'" + program + "' was linked with another coarray library (" +
                                 name +
                                 "): build it with 'halocline caf build', or start it as "
                                 "that library wants.");
        }
    }
    if (images > 1 && calls_mpi(content)) {
        throw pgas::JobError("'" + program +
                             "' calls MPI, to which images that 'caf run' has started are "
                             "strangers: start it as 'mpiexec -n " +
                             std::to_string(images) + " " + program +
                             "', which makes its ranks images.");
    }
}

}  // namespace halocline::launcher
