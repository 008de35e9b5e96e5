"""Errors of advection schemes as the digest of GETM has them."""

# L1 errors on 50 cells after one revolution at a Courant number of 0.4.
ONE_REVOLUTION = {  # c = 2 + sin 2 pi x, and a box of the width 0.3
    "UPSTREAM": (1.34e-1, 0.1741),
    "P2": (4.44e-4, 0.0602),
    "SUPERBEE": (1.35e-2, 0.0334),
    "MUSCL": (4.00e-3, 0.0506),
    "P2_PDM": (7.75e-4, 0.0481),
}
# Solid-body rotation on 100 x 100 cells: L1, L2, maximum of the bell; L1, maximum of the slot.
ONE_TURN = {
    "UPSTREAM": ((0.998, 0.653, 0.307), (1.167, 0.576)),
    "P2": ((0.0450, 0.0278, 0.981), (0.417, 1.124)),
    "SUPERBEE": ((0.0570, 0.0528, 0.963), (0.251, 1.000)),
    "MUSCL": ((0.0534, 0.0477, 0.916), (0.434, 0.994)),
    "P2_PDM": ((0.0211, 0.0190, 0.961), (0.384, 1.000)),
}
