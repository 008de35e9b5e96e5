#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan.hpp"
#include "runtime/state.hpp"
#include "runtime/superaccumulator.hpp"
#include "runtime/wide.hpp"

namespace halocline {

/// Combines one component of a field over all cells of its boxes and over all ranks.
///
/// The result has the same bits for any division into boxes, threads and ranks. It owns what each
/// thread needs. A NaN anywhere makes the result NaN; without cells the result is 0 or an infinity.
class Reducer {
public:
    Reducer(plan::Reduction reduction, int slot, int component, std::vector<LocalBox> boxes,
            int threads);

    [[nodiscard]] int slot() const { return slot_; }
    /// Every rank must call this; every rank gets the same value.
    [[nodiscard]] double evaluate(const State& state);

private:
    struct alignas(64) Partial {
        Superaccumulator sum;
        Extremes extremes;
    };

    [[nodiscard]] double combine_sum(const State& state);
    [[nodiscard]] double combine_extreme(const State& state);
    void visit(const State& state);
    void visit_on_device(const State& state);
    void visit_range(const State& state, const LocalBox& box, std::int64_t first, std::int64_t last,
                     Partial& partial) const;

    plan::Reduction reduction_;
    int slot_;
    int component_;
    std::vector<LocalBox> boxes_;
    std::vector<Partial> partials_;
};

/// The first NaN of a field over all boxes and ranks.
struct NanCell {
    int component = 0;
    Index3 cell{};  // global
};

/// Looks for NaN; every rank must call this and gets the same answer.
[[nodiscard]] std::optional<NanCell> find_nan(const State& state, int slot,
                                              const std::vector<LocalBox>& boxes);

}  // namespace halocline
