#pragma once

#include <optional>
#include <string>
#include <vector>

namespace halocline::launcher {

/// A node and how many images it takes.
struct Host {
    std::string name;
    int images;
};

/// The nodes of a list as 'node1:2,node2:2'. Nodes without a number share the images that the
/// others leave, and take at least one. Throws pgas::JobError for other lists, for a node without
/// an address, and if images do not fit.
[[nodiscard]] std::vector<Host> hosts_of(const std::string& list, std::optional<int> images);

/// Becomes the launcher of MPI, which starts images on the nodes, one node after the other; as many
/// as the nodes take, if no number is given. Throws pgas::JobError if there is no launcher.
[[noreturn]] void run_on_hosts(const std::vector<Host>& hosts, std::optional<int> images,
                               const std::vector<std::string>& command);

}  // namespace halocline::launcher
