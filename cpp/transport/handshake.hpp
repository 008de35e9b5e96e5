#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/memory.hpp"
#include "pgas/process.hpp"
#include "transport/message.hpp"

namespace halocline {

/// What two ends of a message tell each other before the first exchange.
using Record = std::vector<std::int64_t>;

/// Records by tag, and by whether their writer is the message's source.
using Records = std::map<std::pair<int, bool>, Record>;

/// What this rank tells each rank that this one has messages with, and one from each.
class Handshake {
public:
    /// Writes down what the other end of a message must know.
    void write(const Message& message, bool is_source, const Record& record) {
        written_[message.rank][{message.tag, is_source}] = record;
    }
    /// What the other end of a message has written.
    [[nodiscard]] const Record& read(const Message& message, bool is_source) const {
        return read_.at(message.rank).at({message.tag, !is_source});
    }

    /// The ranks that are told something.
    [[nodiscard]] std::vector<int> ranks() const;
    /// The words for a rank: records, and where the memory of this rank lies.
    [[nodiscard]] std::vector<std::int64_t> outgoing(int rank, const Memory& memory) const;
    /// Takes the words of a rank.
    void take(int rank, std::vector<std::int64_t> words);

    /// The fields of another rank, mapped; asked for the first time, it maps them.
    [[nodiscard]] std::shared_ptr<const class Neighbour> neighbour(int rank);

private:
    std::map<int, Records> written_;
    std::map<int, Records> read_;
    std::map<int, std::vector<std::int64_t>> addresses_;
    std::map<int, std::shared_ptr<const Neighbour>> neighbours_;
};

/// The fields of another process of this machine, as this process sees them.
class Neighbour {
public:
    /// From what `addresses_of` wrote there.
    explicit Neighbour(const std::vector<std::int64_t>& addresses);

    [[nodiscard]] const Memory& memory() const { return memory_; }
    [[nodiscard]] std::byte* at(std::int64_t offset) const { return mapping_->at(offset); }
    /// The rows of a part at its other end.
    [[nodiscard]] Rows rows(const Part& part) const;
    /// Throws TransportError if the process has ended.
    void check() const;

private:
    pgas::Process process_{};
    std::unique_ptr<pgas::Mapping> mapping_;
    Memory memory_;
};

/// Process, arena, blocks and storages of this rank as numbers; empty if its memory is private.
[[nodiscard]] std::vector<std::int64_t> addresses_of(const Memory& memory);

}  // namespace halocline
