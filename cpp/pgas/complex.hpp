#pragma once

namespace halocline::pgas {

/// A complex number of any real type: 'std::complex' knows those of the language alone.
template <class T>
struct Complex {
    T real, imaginary;
    friend Complex operator+(const Complex& one, const Complex& other) {
        return {one.real + other.real, one.imaginary + other.imaginary};
    }
};

}  // namespace halocline::pgas
