#include "transport/handshake.hpp"

#include <string>

#include "core/error.hpp"

namespace halocline {
namespace {

/// Reads numbers one after the other.
class Reader {
public:
    explicit Reader(const std::vector<std::int64_t>& numbers) : numbers_(numbers) {}
    std::int64_t next() { return numbers_.at(position_++); }
    std::size_t count() { return static_cast<std::size_t>(next()); }
    [[nodiscard]] std::ptrdiff_t position() const { return static_cast<std::ptrdiff_t>(position_); }

private:
    const std::vector<std::int64_t>& numbers_;
    std::size_t position_ = 0;
};

std::int64_t length(const auto& things) {
    return static_cast<std::int64_t>(things.size());
}

}  // namespace

std::vector<std::int64_t> addresses_of(const Memory& memory) {
    if (!memory.arena) return {};
    const pgas::Arena& arena = *memory.arena;
    const auto process = pgas::Process::current();
    std::vector<std::int64_t> numbers{process.number, process.started, arena.descriptor(),
                                      arena.size_bytes(), length(memory.storages)};
    for (const std::vector<BlockView>& storage : memory.storages) {
        numbers.push_back(length(storage));
        for (const auto& [view, origin] : storage) {
            // A field without cells on a block lies nowhere, and nobody asks for it.
            const std::int64_t offset = view.data == nullptr ? 0 : arena.offset_of(view.data);
            numbers.insert(numbers.end(), {offset, view.component, view.x, view.y, view.z,
                                           origin[0], origin[1], origin[2]});
        }
    }
    return numbers;
}

Neighbour::Neighbour(const std::vector<std::int64_t>& addresses) {
    Reader reader(addresses);
    process_.number = reader.next();
    process_.started = reader.next();
    const auto descriptor = static_cast<int>(reader.next());
    mapping_ = std::make_unique<pgas::Mapping>(process_.number, descriptor, reader.next());
    memory_.storages.resize(reader.count());
    for (std::vector<BlockView>& storage : memory_.storages) {
        storage.resize(reader.count());
        for (auto& [view, origin] : storage) {
            view.data = mapping_->at(reader.next());
            for (std::int64_t* number :
                 {&view.component, &view.x, &view.y, &view.z, &origin[0], &origin[1], &origin[2]}) {
                *number = reader.next();
            }
        }
    }
}

Rows Neighbour::rows(const Part& part) const {
    return rows_of(memory_.view(part.other_storage, part.other_block), part.element_size,
                   part.component,
                   part.other_lower - memory_.origin(part.other_storage, part.other_block));
}

void Neighbour::check() const {
    if (!process_.has_ended()) return;
    throw TransportError("process " + std::to_string(process_.number) +
                         ", whose memory this one reads, has ended");
}

std::vector<int> Handshake::ranks() const {
    std::vector<int> ranks;
    for (const auto& [rank, records] : written_) ranks.push_back(rank);
    return ranks;
}

std::vector<std::int64_t> Handshake::outgoing(int rank, const Memory& memory) const {
    const Records& records = written_.at(rank);
    std::vector<std::int64_t> words{length(records)};
    for (const auto& [key, record] : records) {
        words.insert(words.end(), {key.first, key.second ? 1 : 0, length(record)});
        words.insert(words.end(), record.begin(), record.end());
    }
    const std::vector<std::int64_t> addresses = addresses_of(memory);
    words.insert(words.end(), addresses.begin(), addresses.end());
    return words;
}

void Handshake::take(int rank, std::vector<std::int64_t> words) {
    Reader reader(words);
    Records& records = read_[rank];
    const std::size_t count = reader.count();
    for (std::size_t i = 0; i < count; ++i) {
        const auto tag = static_cast<int>(reader.next());
        const bool is_source = reader.next() != 0;
        Record& record = records[{tag, is_source}];
        record.resize(reader.count());
        for (std::int64_t& word : record) word = reader.next();
    }
    words.erase(words.begin(), words.begin() + reader.position());
    addresses_[rank] = std::move(words);
}

std::shared_ptr<const Neighbour> Handshake::neighbour(int rank) {
    std::shared_ptr<const Neighbour>& known = neighbours_[rank];
    if (!known) known = std::make_shared<const Neighbour>(addresses_.at(rank));
    return known;
}

}  // namespace halocline
