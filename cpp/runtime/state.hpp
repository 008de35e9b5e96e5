#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/field.hpp"
#include "core/memory.hpp"
#include "core/plan.hpp"
#include "core/translations.hpp"
#include "runtime/adaptive_thread_count.hpp"
#include "runtime/formula.hpp"
#include "runtime/series.hpp"
#include "runtime/timers.hpp"
#include "transport/transport.hpp"

namespace halocline {

/// Scalars that every runtime has: the number of the step and the time.
constexpr int step_scalar = 0;
constexpr int time_scalar = 1;

/// Cells that a rank owns.
struct Block {
    Box box;                 ///< global
    std::int64_t wrap = 0;   ///< see kernel_abi.h
    Timers::Ticks busy = 0;  ///< how long kernels have run on it
};

/// An index space: the cells on which some fields have values, and which of them a rank owns.
struct Space {
    Index3 period{};                             ///< see kernel_abi.h
    std::vector<Translation> translations = {};  ///< if some are not straight, all of them
    std::vector<Block> blocks = {};
};

/// A scalar that is what a series says.
struct SeriesScalar {
    int scalar = 0;
    Series series;
};

/// What the operations of a program work on.
struct State {
    std::shared_ptr<Transport> transport;
    Memory memory;
    std::vector<Space> spaces;
    std::vector<Field> fields;  ///< by slot; one that was removed has no components
    std::vector<std::vector<Storage>> storages;  ///< by storage and block
    std::vector<std::size_t> held;               ///< the storage in each slot; swaps change it
    std::vector<double> scalars;
    std::vector<SeriesScalar> series;
    std::vector<Formula> formulas;  ///< by scalar; empty for those that have a value of their own
    std::int64_t step = 0;
    AdaptiveThreadCount thread_count{1};
    std::int64_t mask_version = 0;  ///< grows whenever masks may have changed

    /// Whether a scalar is another one in each step.
    [[nodiscard]] bool changes(int scalar) const;
    /// What a scalar is now.
    [[nodiscard]] double number(std::size_t scalar) const {
        const Formula& formula = formulas[scalar];
        return formula.is_empty() ? scalars[scalar] : formula.value(scalars);
    }
    /// The storage in a slot.
    [[nodiscard]] std::size_t holds(int slot) const { return held[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] const halocline_field& view(int slot, int block) const {
        return memory.view(holds(slot), block);
    }
    [[nodiscard]] const Field& field(int slot) const {
        return fields[static_cast<std::size_t>(slot)];
    }
    [[nodiscard]] const Space& space(int number) const {
        return spaces[static_cast<std::size_t>(number)];
    }
    /// Notes that kernels have run on a block since then, and returns when that ended.
    Timers::Ticks was_busy(int in_space, int block, Timers::Ticks since) {
        const Timers::Ticks now = Timers::now();
        spaces[static_cast<std::size_t>(in_space)].blocks[static_cast<std::size_t>(block)].busy +=
            now - since;
        return now;
    }
    /// A block of a field's space.
    [[nodiscard]] const Block& block(int slot, int number) const {
        return space(field(slot).space).blocks[static_cast<std::size_t>(number)];
    }
};

/// Cells of one block, counted from its first owned cell.
struct LocalBox {
    int block = 0;
    Box box;
};

/// The checks below throw std::invalid_argument with a message that begins with `where`.
void require_slot(const State& state, int slot, const std::string& where);
void require_space(const State& state, int space, const std::string& where);
void require_block(const State& state, int space, int block, const std::string& where);
void require_interval(std::int64_t steps, const std::string& where);
void require_component(const State& state, int slot, int component, const std::string& where);

/// The box in cells of its block; it must lie in what is allocated for the field.
[[nodiscard]] LocalBox localize(const State& state, int slot, const plan::BlockBox& box,
                                const std::string& where);

}  // namespace halocline
