#include "caf15/accessor.hpp"

#include <string>
#include <unordered_map>
#include <vector>

#include "caf/report.hpp"

namespace halocline::caf {
namespace {

/// All accessors, in the order in which they were registered: an index that the program has keeps
/// its meaning when a library that it opens registers more.
struct Registry {
    std::vector<Accessor> accessors;
    std::unordered_map<int, int> indices;  ///< by hash value
};

/// It is there before constructors of the program register accessors, and stays for its last ones.
Registry& registry() {
    static auto& all = *new Registry;
    return all;
}

}  // namespace

Accessor accessor(int index) {
    const auto& all = registry().accessors;
    if (index >= 0 && index < static_cast<int>(all.size())) {
        return all[static_cast<std::size_t>(index)];
    }
    error("An image was to be accessed by function " + std::to_string(index) + ", but " +
          std::to_string(all.size()) +
          " are registered: is a part of the program compiled without -fcoarray=lib?");
}

}  // namespace halocline::caf

using namespace halocline::caf;

void _gfortran_caf_register_accessor(int hash, Accessor accessor) {
    Registry& all = registry();
    const auto index = static_cast<int>(all.accessors.size());
    if (all.indices.try_emplace(hash, index).second) all.accessors.push_back(accessor);
}

void _gfortran_caf_register_accessors_finish() {}

int _gfortran_caf_get_remote_function_index(int hash) {
    const auto& indices = registry().indices;
    const auto found = indices.find(hash);
    return found == indices.end() ? -1 : found->second;
}
