#include "transport/mpi_wire.hpp"

#include "transport/pieces.hpp"

namespace halocline {
namespace {

using mpi::check;

/// The functions of MPI that send, or that receive.
struct Functions {
    int (*once)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    int (*prepare)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
};

// Those that send take constant buffers.
constexpr Functions receiving{MPI_Irecv, MPI_Recv_init};
constexpr Functions sending{
    [](void* buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
       MPI_Request* request) { return MPI_Isend(buffer, count, type, rank, tag, comm, request); },
    [](void* buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
       MPI_Request* request) {
        return MPI_Send_init(buffer, count, type, rank, tag, comm, request);
    }};

class MpiParcels final : public Parcels {
public:
    MpiParcels(Functions functions, MPI_Comm comm, bool is_persistent)
        : functions_(functions), comm_(comm), is_persistent_(is_persistent) {}

    void add(const Message& message, std::span<std::byte> buffer) override {
        pieces_.add(message, buffer);
        if (is_persistent_) pieces_.call(functions_.prepare, count_, comm_);
        ++count_;
    }

    void start(std::size_t number) override {
        if (!is_persistent_) return pieces_.call(functions_.once, number, comm_);
        const std::span<MPI_Request> requests = pieces_.requests.group(number);
        check(MPI_Startall(static_cast<int>(requests.size()), requests.data()));
    }

    [[nodiscard]] bool is_done(std::size_t number) override {
        return pieces_.requests.test(number);
    }
    [[nodiscard]] bool are_done() override { return pieces_.requests.test_all(); }

private:
    Functions functions_;
    MPI_Comm comm_;
    bool is_persistent_;
    std::size_t count_ = 0;
    Pieces pieces_;
};

}  // namespace

std::unique_ptr<Parcels> MpiWire::receives() {
    return std::make_unique<MpiParcels>(receiving, comm_, is_persistent_);
}

std::unique_ptr<Parcels> MpiWire::sends() {
    return std::make_unique<MpiParcels>(sending, comm_, is_persistent_);
}

}  // namespace halocline
