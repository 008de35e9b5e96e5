#pragma once

namespace halocline::pgas {

// Of 16 bytes; no standard of C++ has them.
__extension__ using Integer16 = __int128;
__extension__ using Real16 = __float128;

/// A complex number of any real type: 'std::complex' knows those of the language alone.
template <class T>
struct Complex {
    T real, imaginary;
    friend Complex operator+(const Complex& one, const Complex& other) {
        return {one.real + other.real, one.imaginary + other.imaginary};
    }
};

}  // namespace halocline::pgas
