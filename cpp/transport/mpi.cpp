#include "transport/mpi.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "mpi/comm.hpp"
#include "mpi/error.hpp"
#include "mpi/requests.hpp"

namespace halocline {
namespace {

using mpi::check;

/// Larger messages are divided: the counts of MPI before version 4 end at 2^31 - 1.
constexpr std::size_t largest_message = std::size_t{1} << 30;

/// Pieces of buffers of at most `largest_message` bytes. Pieces of one buffer have the same tag:
/// MPI keeps their order. An empty buffer is one empty piece.
class Pieces {
public:
    explicit Pieces(const std::vector<Buffer>& buffers) {
        for (const Buffer& buffer : buffers) {
            first_.push_back(pieces_.size());
            std::span<std::byte> rest = buffer.bytes;
            do {
                const std::size_t size = std::min(rest.size(), largest_message);
                pieces_.push_back({buffer.rank, buffer.tag, rest.first(size)});
                rest = rest.subspan(size);
            } while (!rest.empty());
        }
        first_.push_back(pieces_.size());
    }

    [[nodiscard]] std::size_t size() const { return pieces_.size(); }
    [[nodiscard]] const Buffer& operator[](std::size_t piece) const { return pieces_[piece]; }
    [[nodiscard]] std::size_t begin_of(std::size_t buffer) const { return first_[buffer]; }
    [[nodiscard]] std::size_t end_of(std::size_t buffer) const { return first_[buffer + 1]; }

private:
    std::vector<Buffer> pieces_;
    std::vector<std::size_t> first_;
};

class TwoSidedChannel final : public Channel {
public:
    TwoSidedChannel(MPI_Comm comm, const std::vector<Buffer>& receives,
                    const std::vector<Buffer>& sends)
        : comm_(comm),
          receives_(receives),
          sends_(sends),
          receiving_(receives_.size()),
          sending_(sends_.size()) {}

    void receive() override {
        for (std::size_t i = 0; i < receives_.size(); ++i) {
            const Buffer& piece = receives_[i];
            check(MPI_Irecv(piece.bytes.data(), static_cast<int>(piece.bytes.size()), MPI_BYTE,
                            piece.rank, piece.tag, comm_, &receiving_[i]));
        }
    }

    void send(std::size_t message) override {
        for (std::size_t i = sends_.begin_of(message); i < sends_.end_of(message); ++i) {
            const Buffer& piece = sends_[i];
            check(MPI_Isend(piece.bytes.data(), static_cast<int>(piece.bytes.size()), MPI_BYTE,
                            piece.rank, piece.tag, comm_, &sending_[i]));
        }
    }

    bool poll() override {
        const bool is_received = receiving_.test();
        return sending_.test() && is_received;
    }

    void wait_receives() override { receiving_.wait(); }
    void wait_sends() override { sending_.wait(); }

private:
    MPI_Comm comm_;
    Pieces receives_;
    Pieces sends_;
    mpi::Requests receiving_;
    mpi::Requests sending_;
};

class TwoSidedTransport final : public Transport {
public:
    explicit TwoSidedTransport(MPI_Comm original)
        : comm_(original), rank_(comm_.rank()), size_(comm_.size()) {}

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }

    [[nodiscard]] std::unique_ptr<Channel> open(std::vector<Buffer> receives,
                                                std::vector<Buffer> sends) override {
        require_tags(receives);
        require_tags(sends);
        return std::make_unique<TwoSidedChannel>(comm_.handle(), receives, sends);
    }

    void sum(std::span<std::int64_t> values) override {
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                            MPI_INT64_T, MPI_SUM, comm_.handle()));
    }
    void min(std::span<double> values) override { reduce(values, MPI_MIN); }
    void max(std::span<double> values) override { reduce(values, MPI_MAX); }

private:
    void reduce(std::span<double> values, MPI_Op operation) {
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                            MPI_DOUBLE, operation, comm_.handle()));
    }

    void require_tags(const std::vector<Buffer>& buffers) const {
        const int largest = comm_.largest_tag();
        for (const Buffer& buffer : buffers) {
            if (buffer.tag <= largest) continue;
            throw std::invalid_argument("Tag " + std::to_string(buffer.tag) +
                                        " is larger than this MPI allows (" +
                                        std::to_string(largest) + ").");
        }
    }

    mpi::Comm comm_;
    int rank_;
    int size_;
};

}  // namespace

std::shared_ptr<Transport> two_sided_transport(int fortran_handle) {
    if (!mpi::is_active()) throw std::runtime_error("MPI is not initialised or already finalised.");
    const MPI_Comm original = MPI_Comm_f2c(static_cast<MPI_Fint>(fortran_handle));
    return std::make_shared<TwoSidedTransport>(original);
}

std::string mpi_library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length));
    return {text.data(), static_cast<std::size_t>(length)};
}

void mpi_abort(int code) {
    static_cast<void>(MPI_Abort(MPI_COMM_WORLD, code));
    std::abort();
}

}  // namespace halocline
