#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halocline {

/// Numbers that change with time: rows of values, linear in between.
struct Series {
    std::vector<double> times;   ///< of the rows, increasing
    std::vector<double> values;  ///< row after row
    std::size_t columns = 1;     ///< values of a row
    double period = 0;           ///< after which it begins again; 0 for never
};

/// Where a time lies between two rows.
struct TimePlace {
    std::size_t before = 0;
    std::size_t after = 0;
    double fraction = 0;
};

/// The place of a time. Before the first row the first holds, after the last the last.
[[nodiscard]] TimePlace place_in(const std::vector<double>& times, double period, double time);

/// The two rows of a series between which a time lies.
struct SeriesPlace {
    const double* before = nullptr;
    const double* after = nullptr;
    double fraction = 0;

    [[nodiscard]] double value(std::size_t column) const {
        return before[column] + fraction * (after[column] - before[column]);
    }
};

/// Those of a time.
[[nodiscard]] SeriesPlace place_of(const Series& series, double time);

}  // namespace halocline
