# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits a parabola to points, in Python without any other library: the normal equations X^T X c = X^T y.

$ PYTHONPATH=$PREFIX/share/abax/python python3 fit.py

NumPy's arrays can be passed in the same way, and results are then NumPy's, too.
"""

import sys
from array import array

import abax

points, terms = 1000, 3
places = [i / points for i in range(points)]
X = memoryview(array("d", [t**power for t in places for power in range(terms)])).cast("B").cast("d", (points, terms))
y = memoryview(array("d", [2 - 3 * t + 5 * t * t for t in places]))

left = abax.gemm(X, X, transpose_a=True).tolist()
right = abax.gemv(X, y, transpose=True).tolist()

# Gauss' elimination; the matrix is positive definite, so that no rows need be exchanged.
for i in range(terms):
    for row in range(i + 1, terms):
        factor = left[row][i] / left[i][i]
        left[row] = [value - factor * pivot for value, pivot in zip(left[row], left[i])]
        right[row] -= factor * right[i]
c = [0.0] * terms
for i in reversed(range(terms)):
    c[i] = (right[i] - sum(left[i][j] * c[j] for j in range(i + 1, terms))) / left[i][i]

good = all(abs(found - wanted) < 1e-9 for found, wanted in zip(c, (2, -3, 5)))
print(f"fit: y = {c[0]:.6f} + {c[1]:.6f} t + {c[2]:.6f} t^2: {'right' if good else 'WRONG'}")
sys.exit(not good)
