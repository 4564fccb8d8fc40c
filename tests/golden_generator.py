#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The golden table's numbers and hashes as docs/verify.md describes them: golden_generator.py TABLE

Of the calls whose results are operands that were moved: copies, transposes, and iamax, which compares them.
"""

import struct
import sys

MASK = (1 << 64) - 1


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def number(kind, wide, operand, i):
    """The bits of number i."""
    digits, width, largest = (53, 52, 2046) if wide else (24, 23, 254)
    r = mix((mix(operand) + i) & MASK)
    c, sign = (r >> 52) & 0x7FF, r >> 63 << (63 if wide else 31)
    fraction = (r & ((1 << 52) - 1)) >> (52 - width)
    floating, integer = ("<d", "<Q") if wide else ("<f", "<I")
    unit = ((r >> (64 - digits)) - (1 << (digits - 1))) / (1 << (digits - 1))
    usual = struct.unpack(integer, struct.pack(floating, unit))[0]
    if kind == "wide":
        return sign | (largest // 2 - 16 + c % 32) << width | fraction
    if kind == "zeros":
        return sign if c % 4 == 0 else usual
    if kind == "tiny" and operand != 2:
        return sign | (c % 4) << width | fraction
    if kind == "huge" and operand != 2:
        return sign | (largest - c % 4) << width | fraction
    if kind == "special" and c % 256 < 6:
        ones, infinity = (1 << width) - 1, (largest + 1) << width
        nan = infinity | 1 << (width - 1) | fraction
        return sign | (infinity, nan, 0, 1, 1 << width, largest << width | ones)[c % 256]
    return usual


def hash_of(numbers):
    h = 0
    for bits in numbers:
        h = mix(h ^ bits)
    return h


def result(kernel, kind, m, n, k, element, wide):
    """Of real elements, or of pairs of parts."""
    if kernel == "copy":
        return [element(e) for e in range(m * n)]
    if kernel == "iamax":
        sign, infinity = (1 << 63, 2047 << 52) if wide else (1 << 31, 255 << 23)
        keys = [min(element(e)[0] & ~sign, infinity + 1) for e in range(k)]  # NaNs are alike
        return [(keys.index(max(keys)) if keys else MASK,)]
    rows, cols = (m, m) if kernel.endswith("in_place") else (n, m)
    turned = [element(i + j * rows) for i in range(rows) for j in range(cols)]
    if kernel.startswith("conjugate"):
        turned = [(re, im ^ 1 << (63 if wide else 31)) for re, im in turned]
    return turned


checked = wrong = 0
for line in open(sys.argv[1]):
    if line.startswith("#"):
        continue
    kernel, name, _, m, n, k, _, _, _, kind, expected = line.split()
    parts, wide = (2 if name[0] == "c" else 1), name in ("f64", "c128")
    moved = kernel == "copy" or "transpose" in kernel or (kernel == "iamax" and parts == 1)
    if not moved:
        continue
    of = lambda e: tuple(number(kind, wide, 1, parts * e + p) for p in range(parts))
    elements = result(kernel, kind, int(m), int(n), int(k), of, wide)
    found = f"{hash_of(bits for parts_of in elements for bits in parts_of):016x}"
    checked += 1
    if found != expected:
        wrong += 1
        print(f"NOT AS EXPECTED: {line.strip()}: found {found}")
print(f"{checked} calls, {wrong} differ")
sys.exit(wrong > 0 or checked < 100)
