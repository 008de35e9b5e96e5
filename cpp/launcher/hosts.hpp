#pragma once

#include <string>
#include <vector>

namespace halocline::launcher {

/// A node and how many images it takes.
struct Host {
    std::string name;
    int images;
};

/// The nodes of a list as 'node1:2,node2:2'; a node without a number takes one image. Throws
/// pgas::JobError for others, and for a node without an address.
[[nodiscard]] std::vector<Host> hosts_of(const std::string& list);

/// How many images all of them take.
[[nodiscard]] int images_on(const std::vector<Host>& hosts);

/// Becomes the launcher of MPI, which starts the images on the nodes of a list, one node after the
/// other. Throws pgas::JobError if there is no launcher.
[[noreturn]] void run_on_hosts(const std::string& list, int images,
                               const std::vector<std::string>& command);

}  // namespace halocline::launcher
