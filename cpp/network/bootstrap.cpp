// The function by which coarray programs find each other where an MPI launcher has started them.

#include <mpi.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "mpi/comm.hpp"
#include "mpi/error.hpp"
#include "network/mpi_network.hpp"
#include "pgas/block.hpp"
#include "pgas/bootstrap.hpp"
#include "pgas/error.hpp"
#include "pgas/memory_size.hpp"
#include "pgas/shared_file.hpp"
#include "pgas/whole_number.hpp"

namespace halocline::network {
namespace {

using mpi::check;

/// For tests: so many images of a node count as one.
constexpr const char* images_per_node_variable = "HALOCLINE_IMAGES_PER_NODE";

/// What an image on one of several nodes has: MPI may register all of it [bytes].
constexpr std::int64_t usual_bytes = std::int64_t{1} << 30;

MpiNetwork* network = nullptr;
bool is_over = false;

/// Ends MPI at the end of the process, if this image has ended in good order; its launcher ends
/// the others if not.
void end_mpi_at_exit() {
    static const pid_t process = getpid();
    static_cast<void>(std::atexit([] {
        // A copy of this process is no image.
        if (is_over && getpid() == process && mpi::is_active()) static_cast<void>(MPI_Finalize());
    }));
}

void begin_mpi() {
    int is_initialized = 0;
    check(MPI_Initialized(&is_initialized));
    if (is_initialized != 0) return;
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    end_mpi_at_exit();
}

/// Waits for all images, if they are on several nodes.
void end() {
    if (!mpi::is_active()) return;
    if (network != nullptr) network->close();
    is_over = true;
}

/// Ends all images, when the launcher has had the time to pass on what they have printed.
void abort_all(int exit_code) {
    if (!mpi::is_active()) return;
    constexpr std::chrono::milliseconds heard(200);
    std::this_thread::sleep_for(heard);
    static_cast<void>(MPI_Abort(MPI_COMM_WORLD, exit_code));
}

/// The communicator of some images, for programs that use MPI, too.
int communicator_of(const std::vector<int>& images) {
    constexpr int tag = 0;
    return static_cast<int>(MPI_Comm_c2f(mpi::comm_of_ranks(MPI_COMM_WORLD, images, tag)));
}

/// The ranks that share a node's memory.
MPI_Comm node_of(MPI_Comm world, int me) {
    MPI_Comm node = MPI_COMM_NULL;
    const int per_node =
        pgas::number_in_environment(images_per_node_variable, "a number of images");
    if (per_node > 0) {
        check(MPI_Comm_split(world, me / per_node, me, &node));
    } else {
        check(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node));
    }
    return node;
}

/// The node of each rank, by its first rank.
std::vector<int> nodes_of(MPI_Comm world, MPI_Comm node, int me, int images) {
    int first = me;
    check(MPI_Bcast(&first, 1, MPI_INT, 0, node));
    std::vector<int> nodes(static_cast<std::size_t>(images));
    check(MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, world));
    return nodes;
}

/// The memory of the node's images: its first rank creates it, the others open it.
int descriptor_of(MPI_Comm node, int images, std::int64_t heap_bytes, std::uint64_t salt) {
    int rank = 0;
    check(MPI_Comm_rank(node, &rank));
    std::array<int, 2> where{};
    if (rank == 0) {
        const auto block = pgas::Block::create(images, heap_bytes);
        block.control().salt = salt;
        where = {getpid(), block.descriptor()};
    }
    check(MPI_Bcast(where.data(), 2, MPI_INT, 0, node));
    const int descriptor = rank == 0 ? where[1] : pgas::open_shared_file(where[0], where[1]);
    check(MPI_Barrier(node));
    return descriptor;
}

/// The random number of the job, the same on all nodes.
std::uint64_t salt_of(MPI_Comm world) {
    std::uint64_t salt = 0;
    static_cast<void>(getrandom(&salt, sizeof salt, 0));
    check(MPI_Bcast(&salt, 1, MPI_UINT64_T, 0, world));
    return salt;
}

pgas::Bootstrap bootstrap() {
    begin_mpi();
    const mpi::Comm world(MPI_COMM_WORLD);
    const int me = world.rank();
    const int images = world.size();
    if (const int started = pgas::processes_by_mpi(); started != images) {
        throw pgas::JobError("The launcher has started " + std::to_string(started) +
                             " processes, but MPI knows of " + std::to_string(images) +
                             ": Halocline was built with another MPI than the launcher's.");
    }
    MPI_Comm node = node_of(world.handle(), me);
    std::vector<int> nodes = nodes_of(world.handle(), node, me, images);
    const bool are_near = std::ranges::all_of(nodes, [&](int one) { return one == nodes[0]; });
    std::int64_t bytes = pgas::reserved_bytes(are_near ? pgas::machine_bytes() : usual_bytes);
    // All must have the same addresses.
    check(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MIN, world.handle()));
    const int descriptor = descriptor_of(node, images, bytes, salt_of(world.handle()));
    check(MPI_Comm_free(&node));
    if (!are_near) network = new MpiNetwork(std::move(nodes));
    return {me, descriptor, network, end, abort_all, communicator_of};
}

}  // namespace
}  // namespace halocline::network

extern "C" HALOCLINE_EXPORT halocline::pgas::Bootstrap halocline_bootstrap() {
    try {
        return halocline::network::bootstrap();
    } catch (const std::exception& error) {
        static_cast<void>(std::fprintf(stderr, "Halocline: %s\n", error.what()));
        halocline::network::abort_all(EXIT_FAILURE);
        std::abort();
    }
}
