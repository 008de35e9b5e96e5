#include <algorithm>
#include <utility>

#include "mpi/requests.hpp"
#include "mpi/type.hpp"
#include "transport/link.hpp"
#include "transport/mpi_channels.hpp"

namespace halocline {
namespace {

using mpi::check;

MPI_Datatype element_type(std::int64_t size) {
    if (size == 8) return MPI_INT64_T;
    if (size == 4) return MPI_INT32_T;
    if (size == 2) return MPI_INT16_T;
    return MPI_BYTE;
}

/// The cells of a part, from the first on.
mpi::Type part_type(const Part& part, const Rows& rows) {
    const auto count = [&](std::size_t axis) { return static_cast<int>(part.extent[axis]); };
    const auto repeated = [](int times, int length, std::int64_t stride, MPI_Datatype what) {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        check(MPI_Type_create_hvector(times, length, stride, what, &made));
        return mpi::Type(made);
    };
    const MPI_Datatype value = element_type(part.element_size);
    // Rows of neighbours as such: MPICH copies these in half the time of rows of single values.
    const mpi::Type plane =
        rows.x == part.element_size
            ? repeated(count(1), count(0), rows.y, value)
            : repeated(count(1), 1, rows.y, repeated(count(0), 1, rows.x, value).handle());
    return repeated(count(2), 1, rows.z, plane.handle());
}

MPI_Aint address_of(const void* where) {
    MPI_Aint address = 0;
    check(MPI_Get_address(where, &address));
    return address;
}

/// A message that MPI gathers from, or spreads over, the cells themselves.
class TypedMessage {
public:
    explicit TypedMessage(const Message& message) : message_(&message) {}

    [[nodiscard]] const Message& message() const { return *message_; }

    /// A committed type of absolute addresses for the storages that the slots hold now.
    [[nodiscard]] MPI_Datatype type(const Memory& memory) {
        const auto holds_the_same = [&](const Known& known) {
            return std::ranges::equal(known.storages, message_->parts, {}, {}, &Part::storage);
        };
        const auto found = std::ranges::find_if(known_, holds_the_same);
        if (found != known_.end()) return found->type.handle();
        std::vector<std::size_t> storages;
        for (const Part& part : message_->parts) storages.push_back(part.storage);
        known_.push_back({std::move(storages), make_type(memory)});
        return known_.back().type.handle();
    }

    void stamp() {
        if (message_->link != nullptr) arrival_ns_ = message_->link->send(message_->bytes());
    }
    [[nodiscard]] std::int64_t arrival_ns() const { return arrival_ns_; }

private:
    struct Known {
        std::vector<std::size_t> storages;  // by part
        mpi::Type type;
    };

    [[nodiscard]] mpi::Type make_type(const Memory& memory) const {
        std::vector<mpi::Type> owned;
        std::vector<MPI_Datatype> types;
        std::vector<MPI_Aint> addresses;
        for (const Part& part : message_->parts) {
            const Rows rows = part.rows(memory);
            owned.push_back(part_type(part, rows));
            types.push_back(owned.back().handle());
            addresses.push_back(address_of(rows.first));
        }
        if (message_->link != nullptr) {
            types.push_back(MPI_INT64_T);
            addresses.push_back(address_of(&arrival_ns_));
        }
        const std::vector<int> ones(types.size(), 1);
        MPI_Datatype all = MPI_DATATYPE_NULL;
        check(MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), addresses.data(),
                                     types.data(), &all));
        mpi::Type type(all);
        type.commit();
        return type;
    }

    const Message* message_;
    std::int64_t arrival_ns_ = 0;  // travels with the message if its link is emulated
    std::vector<Known> known_;     // as many as swaps make occur
};

/// Messages on one side, with a request for each.
struct TypedSide {
    explicit TypedSide(const std::vector<Message*>& all) {
        for (const Message* message : all) {
            messages.push_back(std::make_unique<TypedMessage>(*message));
            requests.add_group(1);
        }
    }

    /// Calls an MPI function with the cells of a message.
    void call(auto function, std::size_t i, const Memory& memory, MPI_Comm comm) {
        TypedMessage& message = *messages[i];
        check(function(MPI_BOTTOM, 1, message.type(memory), message.message().rank,
                       message.message().tag, comm, requests.group(i).data()));
    }

    std::vector<std::unique_ptr<TypedMessage>> messages;  // their stamps have addresses
    mpi::Requests requests;
};

class DatatypeChannel final : public Channel {
public:
    DatatypeChannel(MPI_Comm comm, const Memory& memory, const Messages& messages)
        : comm_(comm), memory_(memory), receives_(messages.receives), sends_(messages.sends) {}

    void start() override {
        for (std::size_t i = 0; i < receives_.messages.size(); ++i) {
            receives_.call(MPI_Irecv, i, memory_, comm_);
        }
        for (std::size_t i = 0; i < sends_.messages.size(); ++i) {
            sends_.messages[i]->stamp();
            sends_.call(MPI_Isend, i, memory_, comm_);
        }
    }
    void poll() override {
        static_cast<void>(receives_.requests.test_all());
        static_cast<void>(sends_.requests.test_all());
    }
    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.requests.test(receive)) return not_arrived;
        return receives_.messages[receive]->arrival_ns();
    }
    void deliver(std::size_t /*receive*/) override {}
    [[nodiscard]] bool is_finished() override { return sends_.requests.test_all(); }

private:
    MPI_Comm comm_;
    const Memory& memory_;
    TypedSide receives_;
    TypedSide sends_;
};

}  // namespace

std::unique_ptr<Channel> datatype_channel(MPI_Comm comm, const Memory& memory,
                                          const Messages& messages) {
    return std::make_unique<DatatypeChannel>(comm, memory, messages);
}

}  // namespace halocline
