#include "runtime/series.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

SeriesPlace place_of(const Series& series, double time) {
    const std::vector<double>& times = series.times;
    const std::size_t last = times.size() - 1;
    if (series.period > 0) {
        time -= series.period * std::floor((time - times.front()) / series.period);
    }
    const auto row = [&](std::size_t i) { return series.values.data() + i * series.columns; };
    const auto found = std::upper_bound(times.begin(), times.end(), time);
    if (found == times.begin()) return {row(0), row(0), 0};
    const auto i = static_cast<std::size_t>(found - times.begin()) - 1;
    if (i < last) return {row(i), row(i + 1), (time - times[i]) / (times[i + 1] - times[i])};
    if (series.period <= 0) return {row(last), row(last), 0};
    // Between the last row and the first of the next period.
    const double next = times.front() + series.period;
    return {row(last), row(0), (time - times[last]) / (next - times[last])};
}

}  // namespace halocline
