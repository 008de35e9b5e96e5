#include "device/splits.hpp"

namespace halocline {

int Splits::stream_for(std::size_t kernel, bool is_late_rim) {
    if (!is_split_) return Device::plain;
    if (is_late_rim) {
        const auto before = before_.find(kernel);
        device_.wait(Device::urgent,
                     before == before_.end() ? device_.record(Device::plain) : before->second);
        has_rims_ = true;
        return Device::urgent;
    }
    if (has_rims_) {
        end();
    } else if (last_ != kernel) {
        before_[kernel] = device_.record(Device::plain);
        last_ = kernel;
    }
    return Device::plain;
}

void Splits::end() {
    if (has_rims_) device_.wait(Device::plain, device_.record(Device::urgent));
    is_split_ = has_rims_ = false;
}

}  // namespace halocline
