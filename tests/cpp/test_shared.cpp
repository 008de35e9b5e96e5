#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/field.hpp"
#include "transport/handshake.hpp"
#include "transport/shared.hpp"

namespace halocline {
namespace {

constexpr std::int64_t n = 4;

/// One of two ranks side by side along x, each with two fields of a block.
class Side {
public:
    explicit Side(int rank) : rank_(rank) {
        memory.arena = std::make_shared<pgas::Arena>();
        const Field field{"f", ElementType::float64, 1, {{1, 0, 0}, {1, 0, 0}}};
        for (int storage = 0; storage < 2; ++storage) {
            storages.push_back(store(field, {{n, n, 1}}, storage, 1, memory.arena.get()).front());
            memory.storages.push_back({{storages.back().view(), {rank * n, 0, 0}}});
        }
    }

    double& at(std::size_t storage, std::int64_t x, std::int64_t y) {
        const halocline_field& view = memory.view(storage, 0);
        return static_cast<double*>(view.data)[x + y * view.y];
    }

    /// The column of rank 0 next to rank 1.
    void open(bool is_push) {
        message.rank = 1 - rank_;
        message.tag = 7;
        const std::int64_t here = rank_ == 0 ? n - 1 : -1;
        message.parts = {{0, 0, 0, 0, {here, 0, 0}, 0, {n - 1, 0, 0}, {1, n, 1}, 8, 0, 0}};
        Messages messages;
        (rank_ == 0 ? messages.sends : messages.receives).push_back(&message);
        channel = shared_channel(memory, messages, is_push);
        channel->publish(handshake);
    }

    Memory memory;
    std::vector<Storage> storages;
    Message message;
    std::unique_ptr<Channel> channel;
    Handshake handshake;

private:
    int rank_;
};

/// Both ranks in this process, which maps its own memory.
class Shared : public testing::TestWithParam<bool> {
protected:
    Shared() : owner_(0), reader_(1) {
        owner_.open(GetParam());
        reader_.open(GetParam());
        owner_.handshake.take(1, reader_.handshake.outgoing(0, reader_.memory));
        reader_.handshake.take(0, owner_.handshake.outgoing(1, owner_.memory));
        owner_.channel->attach(owner_.handshake);
        reader_.channel->attach(reader_.handshake);
    }

    void fill(std::size_t storage, double value) {
        for (std::int64_t y = 0; y < n; ++y) {
            owner_.at(storage, n - 1, y) = value + static_cast<double>(y);
        }
    }
    /// Lets slots hold a storage of the owner, and one of the reader.
    void hold(std::size_t of_owner, std::size_t of_reader) {
        Part& sent = owner_.message.parts[0];
        Part& received = reader_.message.parts[0];
        sent.storage = received.other_storage = of_owner;
        sent.other_storage = received.storage = of_reader;
    }

    void expect_halo(std::size_t storage, double value) {
        for (std::int64_t y = 0; y < n; ++y) {
            EXPECT_EQ(reader_.at(storage, -1, y), value + static_cast<double>(y));
        }
    }

    Side owner_;
    Side reader_;
};

TEST_P(Shared, cells_come_from_the_owner_whichever_side_starts_first) {
    for (int round = 0; round < 4; ++round) {
        fill(0, 10.0 * round);
        Side& first = round % 2 == 0 ? owner_ : reader_;
        Side& second = round % 2 == 0 ? reader_ : owner_;
        first.channel->start();
        second.channel->start();
        owner_.channel->poll();
        ASSERT_EQ(reader_.channel->arrival_ns(0), 0);
        reader_.channel->deliver(0);
        expect_halo(0, 10.0 * round);
        EXPECT_TRUE(owner_.channel->is_finished());
        EXPECT_TRUE(reader_.channel->is_finished());
    }
}

TEST_P(Shared, nothing_arrives_before_both_sides_have_started) {
    reader_.channel->start();
    EXPECT_EQ(reader_.channel->arrival_ns(0), not_arrived);
    fill(0, 1.0);
    owner_.channel->start();
    EXPECT_EQ(reader_.channel->arrival_ns(0), 0);
}

TEST_P(Shared, the_owner_is_not_finished_before_its_cells_were_read) {
    fill(0, 1.0);
    owner_.channel->start();
    EXPECT_FALSE(owner_.channel->is_finished());
}

TEST_P(Shared, the_field_that_the_slot_holds_after_a_swap_is_exchanged) {
    fill(1, 30.0);
    hold(1, 1);
    reader_.channel->start();
    owner_.channel->start();
    reader_.channel->deliver(0);
    expect_halo(1, 30.0);
}

TEST_P(Shared, values_go_from_one_field_to_another) {
    fill(1, 40.0);
    hold(1, 0);
    reader_.channel->start();
    owner_.channel->start();
    reader_.channel->deliver(0);
    expect_halo(0, 40.0);
}

INSTANTIATE_TEST_SUITE_P(PullAndPush, Shared, testing::Bool());

TEST(SharedChannel, needs_memory_that_others_can_map) {
    const Memory memory;
    EXPECT_THROW(static_cast<void>(shared_channel(memory, {}, false)), std::logic_error);
}

TEST(Neighbour, that_has_died_is_noticed) {
    Memory memory;
    memory.arena = std::make_shared<pgas::Arena>();
    const std::shared_ptr<std::byte> piece = memory.arena->allocate(1);
    std::vector<std::int64_t> addresses = addresses_of(memory);
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    // The child, whose start is not known.
    addresses[0] = child;
    addresses[1] = 0;
    const Neighbour neighbour(addresses);
    EXPECT_NO_THROW(neighbour.check());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_THROW(neighbour.check(), TransportError);
}

TEST(Mapping, of_a_process_that_does_not_exist_is_refused) {
    constexpr std::int64_t beyond_all_processes = std::int64_t{1} << 40;
    EXPECT_THROW(pgas::Mapping(beyond_all_processes, 3, 4096), TransportError);
}

TEST(Arena, knows_a_piece_that_lies_where_another_was) {
    pgas::Arena arena;
    const std::byte* before = arena.allocate(100).get();
    const auto after = arena.allocate(100);
    // The system most often gives the same addresses again.
    EXPECT_EQ(after.get(), before);
    EXPECT_EQ(arena.offset_of(after.get()), 4096);
}

TEST(Arena, pieces_that_are_given_back_take_no_memory) {
    pgas::Arena arena;
    const auto blocks = [&arena] {
        struct stat file {};
        EXPECT_EQ(fstat(arena.descriptor(), &file), 0);
        return file.st_blocks;
    };
    const auto kept = arena.allocate(4096);
    kept.get()[0] = std::byte{1};
    const auto before = blocks();
    {
        const auto piece = arena.allocate(1 << 20);
        std::memset(piece.get(), 1, 1 << 20);
        EXPECT_GT(blocks(), before);
    }
    EXPECT_EQ(blocks(), before);
    EXPECT_EQ(kept.get()[0], std::byte{1});
}

TEST(Arena, pieces_begin_at_pages_and_outlive_it) {
    std::shared_ptr<std::byte> small;
    std::shared_ptr<std::byte> large;
    {
        pgas::Arena arena;
        small = arena.allocate(100);
        large = arena.allocate(5 << 20);
        EXPECT_EQ(arena.offset_of(small.get() + 50), 50);
        EXPECT_EQ(arena.offset_of(large.get()) % 4096, 0);
        EXPECT_THROW(static_cast<void>(arena.offset_of(&arena)), std::logic_error);
    }
    small.get()[99] = large.get()[(5 << 20) - 1] = std::byte{1};
    EXPECT_EQ(large.get()[0], std::byte{0});
}

}  // namespace
}  // namespace halocline
