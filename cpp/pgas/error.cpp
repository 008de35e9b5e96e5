#include "pgas/error.hpp"

namespace halocline {

TransportError::~TransportError() = default;

}  // namespace halocline

namespace halocline::pgas {

JobError::~JobError() = default;

}  // namespace halocline::pgas
