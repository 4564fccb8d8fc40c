// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ABAX_VERSION_H
#define ABAX_VERSION_H
/** Versions as numbers, for C, C++ and the preprocessor. */

/** Abax: 10000 times the major version, 100 times the minor one, and the patch level; 0.1.0 is 100. */
#define ABAX_VERSION 100

/** The canon (docs/canon.md): programs that were compiled with the same number get the same bits. */
#define ABAX_CANON_VERSION 2

#endif
