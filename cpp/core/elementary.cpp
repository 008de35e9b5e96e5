#include "core/elementary.hpp"

#include "abi/elementary.hpp"

// The same text compiled for several processors: the bits are the same, see 'elementary.hpp'. The
// loader chooses before the thread sanitizer has started.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define FOR_PROCESSORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_PROCESSORS
#endif

#define OF_ONE(T, name)                                                                     \
    FOR_PROCESSORS void name(const T* __restrict x, T* __restrict result, std::int64_t n) { \
        for (std::int64_t i = 0; i < n; ++i) result[i] = elementary::name(x[i]);            \
    }
#define OF_TWO(T, name)                                                                          \
    FOR_PROCESSORS void name(const T* __restrict x, const T* __restrict y, T* __restrict result, \
                             std::int64_t n) {                                                   \
        for (std::int64_t i = 0; i < n; ++i) result[i] = elementary::name(x[i], y[i]);           \
    }

// clang-format off
#define ALL_OF_ONE(DO)                                                                      \
    DO(exp) DO(exp2) DO(expm1) DO(log) DO(log2) DO(log10) DO(log1p) DO(sin) DO(cos) DO(tan) \
    DO(asin) DO(acos) DO(atan) DO(sinh) DO(cosh) DO(tanh) DO(cbrt) DO(erf)                  \
    DO(floor) DO(ceil) DO(trunc) DO(sign)
// clang-format on
#define ALL_OF_TWO(DO) DO(pow) DO(atan2) DO(hypot) DO(fmod) DO(copysign)

namespace halocline {
namespace of_rows {
namespace {

#define OF_ONE_IN_BOTH(name) OF_ONE(double, name) OF_ONE(float, name)
#define OF_TWO_IN_BOTH(name) OF_TWO(double, name) OF_TWO(float, name)
ALL_OF_ONE(OF_ONE_IN_BOTH)
ALL_OF_TWO(OF_TWO_IN_BOTH)

}  // namespace
}  // namespace of_rows

template <class T>
OfOne<T> elementary_of_one(std::string_view name) {
#define CHOOSE(function) \
    if (name == #function) return of_rows::function;
    ALL_OF_ONE(CHOOSE)
    return nullptr;
}

template <class T>
OfTwo<T> elementary_of_two(std::string_view name) {
    ALL_OF_TWO(CHOOSE)
    return nullptr;
}

template OfOne<double> elementary_of_one(std::string_view);
template OfOne<float> elementary_of_one(std::string_view);
template OfTwo<double> elementary_of_two(std::string_view);
template OfTwo<float> elementary_of_two(std::string_view);

}  // namespace halocline
