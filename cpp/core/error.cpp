#include "core/error.hpp"

#include <utility>

namespace halocline {

OutOfLimits::OutOfLimits(std::string field_, std::int64_t step_, int component_,
                         std::array<std::int64_t, 3> cell_, double value_)
    : std::runtime_error("Field '" + field_ + "' is " + std::to_string(value_) + " in component " +
                         std::to_string(component_) + " of cell (" + std::to_string(cell_[0]) +
                         ", " + std::to_string(cell_[1]) + ", " + std::to_string(cell_[2]) +
                         ") in step " + std::to_string(step_) + "."),
      field(std::move(field_)),
      step(step_),
      component(component_),
      cell(cell_),
      value(value_) {}

OutOfLimits::~OutOfLimits() = default;

Unmet::Unmet(int number_, std::int64_t passes_, std::int64_t step_)
    : std::runtime_error("The condition of loop " + std::to_string(number_) +
                         " does not hold after " + std::to_string(passes_) + " passes in step " +
                         std::to_string(step_) + "."),
      number(number_),
      passes(passes_),
      step(step_) {}

Unmet::~Unmet() = default;

}  // namespace halocline
