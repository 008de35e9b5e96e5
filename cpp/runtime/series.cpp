#include "runtime/series.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

TimePlace place_in(const std::vector<double>& times, double period, double time) {
    const std::size_t last = times.size() - 1;
    if (period > 0) time -= period * std::floor((time - times.front()) / period);
    const auto found = std::upper_bound(times.begin(), times.end(), time);
    if (found == times.begin()) return {0, 0, 0};
    const auto i = static_cast<std::size_t>(found - times.begin()) - 1;
    if (i < last) return {i, i + 1, (time - times[i]) / (times[i + 1] - times[i])};
    if (period <= 0) return {last, last, 0};
    // Between the last row and the first of the next period.
    const double next = times.front() + period;
    return {last, 0, (time - times[last]) / (next - times[last])};
}

SeriesPlace place_of(const Series& series, double time) {
    const TimePlace place = place_in(series.times, series.period, time);
    const auto row = [&](std::size_t i) { return series.values.data() + i * series.columns; };
    return {row(place.before), row(place.after), place.fraction};
}

}  // namespace halocline
