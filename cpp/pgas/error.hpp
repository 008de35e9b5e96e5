#pragma once

#include <stdexcept>

/// Marks types that cross the border of a shared library (exceptions, classes with a vtable).
#define HALOCLINE_EXPORT __attribute__((visibility("default")))

namespace halocline {

/// Bytes could not be moved between ranks; most often another rank has died.
class HALOCLINE_EXPORT TransportError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~TransportError() override;
};

}  // namespace halocline

namespace halocline::pgas {

/// Images cannot begin, or cannot go on; what is wrong and what to do.
class HALOCLINE_EXPORT JobError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~JobError() override;
};

}  // namespace halocline::pgas
