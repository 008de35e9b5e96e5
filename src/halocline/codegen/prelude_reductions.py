"""What generated C++ functions share that pass values to reductions."""

from __future__ import annotations

REDUCTIONS = """\
namespace {

typedef double Eight __attribute__((vector_size(64)));
typedef double EightAnywhere __attribute__((vector_size(64), aligned(8), may_alias));
typedef uint64_t EightWords __attribute__((vector_size(64)));

// Parts of values as integers, added up while the values are computed: what the runtime's 'fold'
// does. Zeros change nothing but the count.
struct Fold {
    Eight high, low;
    EightWords high_sum, low_sum, changed, lost;
    int64_t count;
};

inline Fold begun(const halocline_sink& sink) {
    const Eight zero = {};
    const EightWords none = {};
    return {zero + sink.high, zero + sink.low, none, none, none, none, 0};
}

__attribute__((always_inline)) inline void fold_eight(Fold& fold, const Eight values) {
    const Eight with_high = values + fold.high;
    const Eight left = values - (with_high - fold.high);
    const Eight with_low = left + fold.low;
    fold.high_sum += (EightWords)with_high;
    fold.low_sum += (EightWords)with_low;
    fold.changed |= (EightWords)with_high ^ (EightWords)fold.high;
    fold.lost |= (EightWords)left ^ (EightWords)(with_low - fold.low);
    fold.count += 8;
}

__attribute__((always_inline)) inline void fold_values(Fold& fold, const double* values,
                                                       int64_t count) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        fold_eight(fold, *reinterpret_cast<const EightAnywhere*>(values + i));
    if (i == count) return;
    Eight rest = {};
    for (int64_t k = 0; i + k < count; ++k) rest[k] = values[i + k];
    fold_eight(fold, rest);
}

// Hands on values and what their fold has come to; returns the next one. A copy, so that the
// caller's stays in registers.
[[gnu::noinline]] Fold pass_values(halocline_sink& sink, const double* values, int64_t count,
                                      const Fold fold) {
    halocline_folded found = {0, 0, 0, 0, fold.count};
    for (int k = 0; k < 8; ++k) {
        found.high += fold.high_sum[k];
        found.low += fold.low_sum[k];
        found.changed |= fold.changed[k];
        found.lost |= fold.lost[k];
    }
    sink.take(&sink, values, count, &found);
    return begun(sink);
}

}  // namespace

"""
