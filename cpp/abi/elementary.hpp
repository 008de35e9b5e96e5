/* Elementary functions of double and float: the same bits on every processor and device.
 *
 * Generated kernels, CUDA text and the runtime include this one text. Functions have no branches
 * and no tables, so that loops that call them become vectors. Errors are at most one unit in the
 * last place; special values are those of Annex F of the C standard. Only sums, products,
 * quotients, square roots, fused multiply-adds, comparisons and operations on bits are used, each
 * of which IEEE 754 defines to the last bit; nothing may be contracted (-ffp-contract=off,
 * --fmad=false).
 *
 * Of floats some functions are computed in double and rounded once. Methods: J.-M. Muller,
 * Elementary Functions (3rd ed., 2016); sums and products of two numbers without error: T. J.
 * Dekker (1971), D. E. Knuth; coefficients: 'bench/minimax.py'.
 */
#pragma once

#include "elementary/basics.hpp"
#include "elementary/circular.hpp"
#include "elementary/erf.hpp"
#include "elementary/exponential.hpp"
#include "elementary/inverse_circular.hpp"
#include "elementary/logarithm.hpp"
#include "elementary/power.hpp"
#include "elementary/root.hpp"
#include "elementary/rounding.hpp"
